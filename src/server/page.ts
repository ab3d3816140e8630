// The page, as it was built: one HTML document for every address, and assets whose names change with what they hold. The
// build compresses them with Brotli; browsers take that over TLS and from this machine, and gzip else.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ServerCall } from './context.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json',
  '.map': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};

const MISSING =
  'Cadre is serving, but this build has no page. "npm run build" makes it.\nThe API is at /api, and /openapi.json describes it.\n';

interface Asset {
  readonly bytes: Buffer<ArrayBuffer>;
  /** The bytes by the name of the encoding, the smallest first. */
  readonly encoded: readonly { readonly encoding: 'br' | 'gzip'; readonly bytes: Buffer<ArrayBuffer> }[];
  readonly type: string;
}

const zip = promisify(gzip);

/** `dir` is where the built page lies. */
export async function openPage(
  dir: string | undefined = builtPage(),
): Promise<(call: ServerCall) => Promise<Response>> {
  const assets = new Map<string, Promise<Asset | undefined>>();
  const load = async (file: string): Promise<Asset | undefined> => {
    if (dir === undefined) return undefined;
    const path = normalize(join(dir, file));
    if (!path.startsWith(dir + sep) || !existsSync(path)) return undefined;
    const bytes = (await readFile(path)) as Buffer<ArrayBuffer>;
    const small = join(dir, 'brotli', path.slice(dir.length));
    const encoded = [
      ...(existsSync(small)
        ? [{ encoding: 'br', bytes: (await readFile(small)) as Buffer<ArrayBuffer> } as const]
        : []),
      { encoding: 'gzip', bytes: (await zip(bytes)) as Buffer<ArrayBuffer> } as const,
    ];
    return { bytes, encoded, type: TYPES[extname(file)] ?? 'application/octet-stream' };
  };
  const asset = (file: string): Promise<Asset | undefined> => {
    const known = assets.get(file);
    if (known !== undefined) return known;
    const loading = load(file);
    loading.then(
      (found) => found !== undefined && assets.set(file, loading),
      () => {},
    );
    return loading;
  };
  return async (call) => {
    const path = decoded(call.req.path);
    const isAsset = path !== undefined && extname(path) in TYPES;
    const found = isAsset ? await asset(path) : await asset('/index.html');
    if (found === undefined) {
      const status = isAsset ? 404 : 200;
      const text = isAsset ? 'There is no such file.\n' : MISSING;
      return new Response(text, {
        status,
        headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
      });
    }
    const accepted = call.req.header('accept-encoding') ?? '';
    const sent = found.encoded.find(({ encoding }) =>
      new RegExp(`\\b${encoding}\\b(?!;q=0(?:\\.0*)?(?:,|$))`).test(accepted),
    );
    return new Response(sent?.bytes ?? found.bytes, {
      headers: {
        'content-type': found.type,
        // Only assets have names that change with what they hold.
        'cache-control': path?.startsWith('/assets/') === true ? 'public, max-age=31536000, immutable' : 'no-cache',
        ...(sent !== undefined && { 'content-encoding': sent.encoding }),
        vary: 'accept-encoding',
      },
    });
  };
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined; // not an address that we made
  }
}

/** `dist/page`, from a chunk or an entry of the build, or from the source. */
function builtPage(): string | undefined {
  for (const up of ['..', '../..', '.']) {
    for (const place of ['page', 'dist/page']) {
      const dir = fileURLToPath(new URL(`${up}/${place}`, import.meta.url));
      if (existsSync(join(dir, 'index.html'))) return dir;
    }
  }
  return undefined;
}
