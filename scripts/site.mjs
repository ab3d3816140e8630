// Builds a site from the Markdown of docs and examples: `npm run site` writes it to `site/`, which git ignores. It loads nothing
// from another server, its search included. A dead link, a page that no list names, and anything that would be fetched
// from elsewhere end the build with exit code 1.
//   npm run site -- [--out folder] [--base /cadre/]
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { commandLine } from './command-line.mjs';
import { fetchedElsewhere } from './site/fetched-elsewhere.mjs';
import { stagedSite } from './site/stage.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = commandLine(import.meta.url, {
  options: { out: { type: 'string', default: join(root, 'site') }, base: { type: 'string', default: '/' } },
});
const out = resolve(values.out);

mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
const stage = mkdtempSync(join(root, 'node_modules/.cache/site-'));
try {
  const { pages, lists, problems } = stagedSite(root, stage);
  stopAt(problems);
  rmSync(out, { recursive: true, force: true });
  process.env.NODE_ENV = 'production';
  const { build } = await import('vitepress');
  configure({ lists, out, base: values.base });
  await build(stage);
  const outside = filesIn(out).flatMap((file) => fetchedElsewhere(file, readFileSync(file, 'utf8')));
  stopAt(outside);
  console.log(`${pages.length} pages in ${out}`);
} finally {
  rmSync(stage, { recursive: true, force: true });
}

/** VitePress reads its settings from a file in the folder that it builds. */
function configure(given) {
  const settings = pathToFileURL(join(root, 'scripts/site/config.mjs'));
  mkdirSync(join(stage, '.vitepress'));
  writeFileSync(
    join(stage, '.vitepress/config.mjs'),
    `import { siteConfig } from '${settings}';\nexport default siteConfig(${JSON.stringify(given)});\n`,
  );
}

function stopAt(problems) {
  if (problems.length === 0) return;
  for (const problem of problems) console.error(problem);
  throw new Error(`The site was not built: ${problems.length} ${problems.length === 1 ? 'mistake' : 'mistakes'}.`);
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
