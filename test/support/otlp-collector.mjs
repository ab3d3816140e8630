// A collector for tests, as a process of its own: takes OTLP over HTTP in JSON, refuses what is not, and prints what it
// took, one line of JSON a request. The first line is its port. `refuse` as its argument answers everything with 500.

import { createServer } from 'node:http';

const refuses = process.argv[2] === 'refuse';

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const known = { '/v1/traces': 'resourceSpans', '/v1/metrics': 'resourceMetrics' }[request.url];
    if (refuses) return response.writeHead(400).end('{"message":"not today"}');
    if (request.method !== 'POST' || known === undefined) return response.writeHead(404).end();
    let body;
    try {
      body = JSON.parse(Buffer.concat(chunks).toString());
    } catch {
      return response.writeHead(415).end();
    }
    if (!Array.isArray(body[known])) return response.writeHead(400).end();
    process.stdout.write(`${JSON.stringify({ url: request.url, headers: request.headers, body })}\n`);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
});

server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
process.stdin.on('end', () => process.exit()).resume(); // ends with whoever started it
