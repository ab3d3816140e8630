import { appendFileSync } from 'node:fs';

const log = process.env['CADRE_STATUSES'] ?? '';
const plain = globalThis.fetch;

globalThis.fetch = async (input, init) => {
  const response = await plain(input, init);
  const { url, method } = input instanceof Request ? input : { url: String(input), method: init?.method ?? 'GET' };
  appendFileSync(log, `${(init?.method ?? method).toUpperCase()} ${new URL(url).pathname} ${response.status}\n`);
  return response;
};
