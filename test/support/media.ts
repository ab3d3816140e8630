// Pictures and documents for tests, made of their bytes.

import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { FileRef } from '../../src/kernel/file-ref.ts';

const CRC = Array.from({ length: 256 }, (_, start) => {
  let value = start;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value >>> 0;
});

const crcOf = (bytes: Uint8Array): number =>
  (bytes.reduce((crc, byte) => (CRC[(crc ^ byte) & 255] as number) ^ (crc >>> 8), 0xffffffff) ^ 0xffffffff) >>> 0;

function chunk(type: string, data: Uint8Array): Buffer {
  const typed = Buffer.concat([Buffer.from(type), data]);
  const framed = Buffer.alloc(typed.length + 8);
  framed.writeUInt32BE(data.length, 0);
  typed.copy(framed, 4);
  framed.writeUInt32BE(crcOf(typed), typed.length + 4);
  return framed;
}

/** A picture of one colour. */
export function png(width: number, height: number, grey = 128): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const row = Buffer.alloc(width + 1, grey);
  row[0] = 0;
  const rows = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', rows), chunk('IEND', new Uint8Array())]);
}

/** A picture of exactly so many bytes: beside its pixels it has a part that readers leave alone. */
export function pngOf(bytes: number): Buffer {
  const small = png(64, 48);
  const before = small.length - 12; // the last part is its end
  const part = chunk('frEE', randomBytes(bytes - small.length - 12));
  return Buffer.concat([small.subarray(0, before), part, small.subarray(before)]);
}

/** The header of a picture that says this size, whatever is in it. */
export function pngSaying(width: number, height: number): Buffer {
  const bytes = png(1, 1);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

/** A document of empty pages. `trailer` is put into its trailer. */
export function pdf(pages: number, trailer = ''): Buffer {
  return pdfOfObjects(pagesOf(pages), trailer);
}

/** A document of one page, with further objects. */
const pdfWith = (objects: readonly string[]): Buffer => pdfOfObjects([...pagesOf(1), ...objects]);

/** A document whose page tree says another number of pages than it has. */
export const lyingPdf = (pages: number, said: number): Buffer => pdfOfObjects(pagesOf(pages, said));

function pagesOf(pages: number, said = pages): readonly string[] {
  const kids = Array.from({ length: pages }, (_, index) => `${index + 3} 0 R`);
  return [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${said} >>`,
    ...kids.map(() => '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] >>'),
  ];
}

export function pdfOfObjects(bodies: readonly string[], trailer = ''): Buffer {
  let text = '%PDF-1.4\n';
  const places = bodies.map((body, index) => {
    const at = text.length;
    text += `${index + 1} 0 obj\n${body}\nendobj\n`;
    return at;
  });
  const size = bodies.length + 1;
  const table = places.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  const end = text.length;
  text += `xref\n0 ${size}\n0000000000 65535 f \n${table}`;
  text += `trailer\n<< /Size ${size} /Root 1 0 R ${trailer}>>\nstartxref\n${end}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}

/** A document of one page and exactly so many bytes, most of them in a stream that nobody reads. */
export function pdfOf(bytes: number): Buffer {
  const whole = (length: number): Buffer => {
    const stream = randomBytes(length).toString('latin1');
    return pdfWith([`<< /Length ${length} >>\nstream\n${stream}\nendstream`]);
  };
  const made = whole(bytes - 1000);
  return Buffer.concat([made, Buffer.alloc(bytes - made.length, '\n')]);
}

/** A document whose table of contents unpacks to this many bytes. */
export function pdfBomb(unpacked: number): Buffer {
  const packed = deflateSync(Buffer.alloc(unpacked), { level: 9 });
  const head = '%PDF-1.5\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n';
  const table = `<< /Type /XRef /Size ${unpacked / 4} /W [1 2 1] /Root 1 0 R /Filter /FlateDecode /Length ${packed.length} >>`;
  return Buffer.concat([
    Buffer.from(`${head}3 0 obj\n${table}\nstream\n`, 'latin1'),
    packed,
    Buffer.from(`\nendstream\nendobj\nstartxref\n${head.length}\n%%EOF\n`, 'latin1'),
  ]);
}

/** The record of a picture whose bytes nobody reads. */
export const pictureRef = (name = 'shot.png', more: Partial<FileRef> = {}): FileRef => ({
  digest: 'a'.repeat(64),
  type: 'image/png',
  name,
  bytes: 84_000,
  width: 1280,
  height: 720,
  ...more,
});
