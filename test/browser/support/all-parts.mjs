// The page of all parts (web/all-parts), built as the page is built, as one HTML text.

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import page from '../../../web/vite.config.mjs';

const ROOT = fileURLToPath(new URL('../../../web/all-parts/', import.meta.url));

export async function pageOfParts() {
  const built = await build({
    ...page,
    configFile: false,
    root: ROOT,
    plugins: [],
    build: {
      ...page.build,
      write: false,
      outDir: join(tmpdir(), 'cadre-parts'),
      emptyOutDir: false,
      cssCodeSplit: false,
      rolldownOptions: {},
    },
  });
  const output = [built].flat().flatMap((one) => one.output);
  const text = (ending) =>
    output
      .filter(({ fileName }) => fileName.endsWith(ending))
      .map((one) => String(one.source ?? one.code))
      .join('\n');
  const script = text('.js').replaceAll('</script', '<\\/script');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>All parts</title><style>${text('.css')}</style></head><body><main id="page"></main><script type="module">${script}</script></body></html>`;
}
