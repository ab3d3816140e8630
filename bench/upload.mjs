// The uploads of large files, in one run on one machine: npm run bench -- --upload. A server of its own for each row gets PDF files of
// 20 MiB over POST /api/blobs, and tells the most memory that it ever had, and how long its event loop was kept from other work.

import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { DIST } from './built.mjs';
import { endAll, path, servedFolder, started, told } from './server/processes.mjs';
import { figure, median } from './statistics.mjs';
import { markdown, spread } from './table.mjs';

const BYTES = 20 * 1024 * 1024;
const ROWS = [
  { name: 'one', atOnce: 1 },
  { name: 'eight at once', atOnce: 8 },
];

export async function measure(quick) {
  const rounds = quick ? 1 : 5;
  const rows = [];
  for (const { name, atOnce } of ROWS) {
    const samples = [];
    for (let round = 0; round < rounds; round++) samples.push(await uploaded(atOnce));
    const of = (pick) => spread(samples.map(pick));
    rows.push([
      name,
      `${of(({ rest }) => rest)} MB`,
      `${of(({ peak }) => peak)} MB`,
      `${figure(median(samples.map(({ peak, rest }) => peak - rest)))} MB`,
      `${of(({ seconds }) => seconds)} s`,
      `${of(({ delay }) => delay)} ms`,
    ]);
  }
  return markdown(
    [
      'uploads of 20 MiB',
      'resident at rest',
      'most resident',
      'more',
      'until all are stored',
      'longest delay of the event loop',
    ],
    rows,
  );
}

async function uploaded(atOnce) {
  try {
    const model = { origin: 'http://127.0.0.1:9' }; // no run is started
    const server = await started([path('serve.mjs')], { CADRE_BENCH_DIST: DIST, FOLDER: servedFolder(model) });
    const files = Array.from({ length: atOnce }, pdf);
    await upload(server.address, smallPdf()); // the libraries are loaded
    const { rss } = await told(server, 'watch');
    const began = performance.now();
    await Promise.all(files.map((file) => upload(server.address, file)));
    const seconds = (performance.now() - began) / 1000;
    const { peak, delay } = await told(server, 'watched');
    return { rest: rss / 1e6, peak: peak / 1e6, seconds, delay };
  } finally {
    endAll();
  }
}

const agent = new Agent({ maxSockets: 100 });

function upload(address, file) {
  const headers = {
    authorization: `Bearer ${address.searchParams.get('token')}`,
    'content-type': 'application/pdf',
    'content-length': file.length,
  };
  const { hostname: host, port } = address;
  return new Promise((resolve, reject) => {
    const asked = request({ host, port, path: '/api/blobs?name=a.pdf', method: 'POST', agent, headers }, (answer) => {
      let said = '';
      answer.setEncoding('utf8').on('data', (part) => (said += part));
      answer.on('end', () => (answer.statusCode === 201 ? resolve() : reject(new Error(said))));
    });
    asked.on('error', reject);
    asked.end(file);
  });
}

const smallPdf = () => pdfAround(Buffer.alloc(0));

function pdf() {
  const small = smallPdf().length;
  const whole = pdfAround(randomBytes(BYTES - small - 64));
  return Buffer.concat([whole, Buffer.alloc(BYTES - whole.length, '\n')]);
}

/** A document of one page, with a stream that nobody reads. */
function pdfAround(stream) {
  const parts = [Buffer.from('%PDF-1.4\n')];
  const places = [];
  let size = parts[0].length;
  const add = (part) => {
    parts.push(part);
    size += part.length;
  };
  const bodies = [
    [Buffer.from('<< /Type /Catalog /Pages 2 0 R >>')],
    [Buffer.from('<< /Type /Pages /Kids [3 0 R] /Count 1 >>')],
    [Buffer.from('<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] >>')],
    [Buffer.from(`<< /Length ${stream.length} >>\nstream\n`), stream, Buffer.from('\nendstream')],
  ];
  for (const [index, body] of bodies.entries()) {
    places.push(size);
    for (const part of [Buffer.from(`${index + 1} 0 obj\n`), ...body, Buffer.from('\nendobj\n')]) add(part);
  }
  const table = places.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  const end = `xref\n0 5\n0000000000 65535 f \n${table}trailer\n<< /Size 5 /Root 1 0 R >>\nstartxref\n${size}\n%%EOF\n`;
  add(Buffer.from(end));
  return Buffer.concat(parts);
}
