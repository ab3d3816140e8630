import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { lyingPdf, pdf, pdfOf, pdfOfObjects } from '../../../test/support/media.ts';
import { measure } from './measure.ts';
import { pagesInTree } from './pages-in-tree.ts';

/** A document whose pages are packed into a stream of objects. */
function packedPdf(pages: number, said: number): Buffer {
  const kids = Array.from({ length: pages }, (_, index) => `${index + 10} 0 R`);
  const bodies = [
    `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${said} >>`,
    ...kids.map(() => '<< /Type /Page /Parent 9 0 R /MediaBox [0 0 612 792] >>'),
  ];
  let at = 0;
  const places = bodies.map((body, index) => {
    const place = `${index + 9} ${at}`;
    at += body.length + 1;
    return place;
  });
  const head = `${places.join(' ')} `;
  const packed = deflateSync(Buffer.from(head + bodies.join('\n'))).toString('latin1');
  const stream = `<< /Type /ObjStm /N ${bodies.length} /First ${head.length} /Filter /FlateDecode /Length ${packed.length} >>`;
  return pdfOfObjects(['<< /Type /Catalog /Pages 9 0 R >>', `${stream}\nstream\n${packed}\nendstream`]);
}

test.each([
  ['an honest document', pdf(3), 3],
  ['one that says fewer pages than it has', lyingPdf(120, 2), 120],
  ['one that says more', lyingPdf(2, 120), 2],
  ['pages that are packed', packedPdf(30, 1), 30],
  [
    'a tree of trees, each of which says 1',
    pdfOfObjects([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids 5 0 R /Count 1 >>',
      '<< /Type /Pages /Kids [6 0 R 7 0 R] /Count 1 /Parent 2 0 R >>',
      '<< /Type /Page /Parent 2 0 R >>',
      '[3 0 R 4 0 R]',
      '<< /Type /Page /Parent 3 0 R >>',
      '<< /Type /Page /Parent 3 0 R >>',
    ]),
    3,
  ],
  ['a later revision of a page', Buffer.concat([pdf(2), Buffer.from('3 0 obj\n<< /Type /Page >>\nendobj\n')]), 2],
  ['a document with a large stream', pdfOf(1_000_000), 1],
  [
    'a tree that hangs in itself',
    pdfOfObjects(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [2 0 R] /Count 5 >>']),
    0,
  ],
  ['what is no document', Buffer.from('%PDF-1.4 1 0 obj'), 0],
])('%s has the pages of its tree', (_, bytes, pages) => {
  expect(pagesInTree(bytes)).toBe(pages);
});

test.each([
  ['fewer pages than it has', lyingPdf(120, 2), 120],
  ['more pages than it has', lyingPdf(2, 120), 2],
])('a document that says %s is measured by those that it has', async (_, bytes, pages) => {
  expect(await measure(bytes, 'application/pdf')).toEqual({ pages });
});

test('openings, numbers and streams without end are passed in one go', () => {
  const many = ['1'.repeat(2_000_000), ' obj'.repeat(200_000), '1 0 obj '.repeat(200_000)];
  const streams = '1 0 obj << /Type /ObjStm >> stream\n'.repeat(50_000);
  const kids = `1 0 obj << /Type /Catalog /Pages 2 0 R >> 2 0 obj << /Kids [${'1'.repeat(2_000_000)}`;
  expect(pagesInTree(Buffer.from(`%PDF-1.4\n${many.join('')}${streams}${kids}`))).toBe(0);
}, 20_000);
