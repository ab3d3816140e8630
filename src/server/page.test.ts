import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServerCall } from './context.ts';
import { openPage } from './page.ts';

const SCRIPT = 'console.log("page");\n'.repeat(50);
let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'cadre-page-'));
  for (const folder of ['assets', 'brotli/assets']) mkdirSync(join(dir, folder), { recursive: true });
  writeFileSync(join(dir, 'index.html'), '<!doctype html><title>Cadre</title>');
  writeFileSync(join(dir, 'assets/index-1.js'), SCRIPT);
  writeFileSync(join(dir, 'brotli/assets/index-1.js'), brotliCompressSync(SCRIPT));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

async function asked(path: string, accepts: string) {
  const page = await openPage(dir);
  const header = (name: string): string | undefined => (name === 'accept-encoding' ? accepts : undefined);
  const response = await page({ req: { path, header } } as unknown as ServerCall);
  const { headers } = response;
  return {
    encoding: headers.get('content-encoding'),
    vary: headers.get('vary'),
    body: Buffer.from(await response.arrayBuffer()),
  };
}

test('a file of the page is sent in the smallest encoding that the browser takes', async () => {
  const small = await asked('/assets/index-1.js', 'gzip, deflate, br, zstd');
  expect([small.encoding, small.vary, String(brotliDecompressSync(small.body))]).toEqual([
    'br',
    'accept-encoding',
    SCRIPT,
  ]);
  const zipped = await asked('/assets/index-1.js', 'gzip, deflate');
  expect([zipped.encoding, String(gunzipSync(zipped.body))]).toEqual(['gzip', SCRIPT]);
  const refused = await asked('/assets/index-1.js', 'br;q=0, gzip');
  expect(refused.encoding).toBe('gzip');
  const plain = await asked('/assets/index-1.js', '');
  expect([plain.encoding, String(plain.body)]).toEqual([null, SCRIPT]);
});

test('a file that the build did not compress is sent all the same', async () => {
  expect((await asked('/runs/last', 'br, gzip')).encoding).toBe('gzip');
});
