// Says where the repository is, once it has an address: `npm run repository -- https://host/owner/name` writes repository,
// homepage and bugs to package.json, and makes the relative links of the README absolute, so that they work on npm too.
// With --check it writes nothing, and fails if that has not been done: npm publish asks it.
import { readFileSync, writeFileSync } from 'node:fs';
import { commandLine } from './command-line.mjs';

const { values, positionals } = commandLine(import.meta.url, { options: { check: { type: 'boolean' } }, most: 1 });
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const readme = readFileSync('README.md', 'utf8');
const LINK = /(\]\(|\bsrc(?:set)?=")(?![a-z]+:|#)([^()"\s]+[)"])/g;

if (values.check) {
  const { url = '' } = manifest.repository ?? {};
  const isDone = url !== '' && !LINK.test(readme);
  if (!isDone)
    stop('package.json names no repository, or the README has relative links. Run: npm run repository -- <url>');
} else {
  const url = (positionals[0] ?? '').replace(/(?:\.git)?\/*$/, '');
  if (!/^https:\/\/[^/\s]+\/\S+$/.test(url)) stop('Give the address of the repository: https://host/owner/name');
  const { license, author, keywords, name, version, description, ...rest } = manifest;
  const address = {
    repository: { type: 'git', url: `git+${url}.git` },
    homepage: `${url}#readme`,
    bugs: `${url}/issues`,
  };
  const written = { name, version, description, license, author, keywords, ...rest, ...address };
  writeFileSync('package.json', `${JSON.stringify(written, null, 2)}\n`);
  writeFileSync('README.md', absolute(readme, url));
}

/** Pictures need the file itself, everything else the page that shows it. */
function absolute(text, url) {
  return text.replace(LINK, (_, open, target, at) => {
    const isPicture = open.startsWith('src') || /!\[[^\]]*$/.test(text.slice(0, at));
    return `${open}${url}/${isPicture ? 'raw' : 'blob'}/main/${target}`;
  });
}

function stop(why) {
  console.error(why);
  process.exit(1);
}
