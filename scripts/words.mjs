// npm run words: counts the words that are written for users, with their code and without: README, docs/README, start and concepts.
// What commands write (the reference, the tables of figures) and what is for those who change Cadre is left out. Code counts.
//   npm run words -- --most 28000 --page 900     fails if there are more in all, or more on one page of a concept
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandLine } from './command-line.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = commandLine(import.meta.url, { options: { most: { type: 'string' }, page: { type: 'string' } } });

const inFolder = (folder) =>
  readdirSync(join(root, folder))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `${folder}/${file}`);
const pages = ['README.md', 'docs/README.md', ...inFolder('docs/start'), ...inFolder('docs/concepts')];

/** A word has a letter or a digit: neither the bars of a table nor the marks of Markdown count. */
const wordsIn = (text) => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
const isWrittenBelow = /^<!-- (\w+) -->$.*?^<!-- \/\1 -->$/gms;

const counts = pages.map((page) => {
  const text = readFileSync(join(root, page), 'utf8').replaceAll(isWrittenBelow, '');
  return { page, all: wordsIn(text), prose: wordsIn(text.replaceAll(/^```.*?^```/gms, '')) };
});
const total = counts.reduce((sum, { all, prose }) => ({ all: sum.all + all, prose: sum.prose + prose }), {
  all: 0,
  prose: 0,
});

const line = (name, { all, prose }) => `${String(all).padStart(6)}${String(prose).padStart(15)}   ${name}`;
console.log(' words   without code   page');
for (const count of counts.toSorted((one, other) => other.all - one.all)) console.log(line(count.page, count));
console.log(line(`${pages.length} pages`, total));
if (values.most !== undefined && total.all > Number(values.most)) {
  console.error(
    `${total.all} words are more than ${values.most}. Say it once, and leave to the reference what it says.`,
  );
  process.exitCode = 1;
}
const long = counts.filter(
  ({ page, all }) => page.startsWith('docs/concepts/') && all > Number(values.page ?? Infinity),
);
for (const { page, all } of long) {
  console.error(`${page} has ${all} words: more than ${values.page}.`);
  process.exitCode = 1;
}
