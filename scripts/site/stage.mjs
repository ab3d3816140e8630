// The pages of the site, as VitePress wants them: docs and examples in one folder, links between them, and what else they
// link to beside them as files. Says which links are dead and which pages no list names.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, posix, relative } from 'node:path';

/** The pages that readers go through, and where each is on the site. */
const places = (root) => {
  const below = (folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => posix.join(folder, file))
      .filter((file) => file.endsWith('.md'));
  const docs = below('docs').map((file) => [
    file,
    file.slice('docs/'.length).replace(/(^|\/)README\.md$/, '$1index.md'),
  ]);
  const examples = readdirSync(join(root, 'examples'))
    .map((name) => `examples/${name}/README.md`)
    .filter((file) => existsSync(join(root, file)))
    .map((file) => [file, `examples/${basename(dirname(file))}.md`]);
  const others = ['CHANGELOG.md', 'CONTRIBUTING.md', 'bench/results.md'].map((file) => [
    file,
    posix.join('more', basename(file)),
  ]);
  return new Map([...docs, ...examples, ...others]);
};

export function stagedSite(root, stage) {
  const pages = places(root);
  const problems = [];
  for (const [file, place] of pages) {
    const text = readFileSync(join(root, file), 'utf8');
    write(join(stage, place), staged(text, { file, place, root, stage, pages, problems }));
  }
  const lists = listsOf(readFileSync(join(root, 'docs/README.md'), 'utf8'), pages, root);
  const named = new Set(
    lists.flatMap(({ items }) => items.flatMap((item) => item.items ?? [item]).map(({ link }) => link)),
  );
  for (const [file, place] of pages)
    if (!named.has(linkOf(place)))
      problems.push(`${file} is in no list of docs/README.md, nor in the index of its folder`);
  return { pages: [...pages.values()], lists, problems };
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

export const linkOf = (place) => `/${place.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')}`;

/** The text with its links as they are on the site. Code stays as it is. */
function staged(text, page) {
  return text
    .split(/(^```[^]*?^```$|`[^`\n]+`)/m)
    .map((part, index) => (index % 2 === 1 ? captioned(part) : linked(part, page).replaceAll('{{', '&#123;&#123;')))
    .join('')
    .replaceAll(/\[([^[\]]*)\]\(drop:[^)]*\)/g, '$1');
}

/** A block that is a file has its name above it: the name behind the language is not shown. */
const captioned = (code) =>
  code.replace(/^```(\w+) (\S+)\n/, (_, language, name) => `\`${name}\`\n\n\`\`\`${language}\n`);

function linked(part, page) {
  return part
    .replaceAll(/\]\(([^()\s]+)\)/g, (_, target) => `](${targetOf(target, page)})`)
    .replaceAll(/\b(src|srcset)="(\.{1,2}\/[^"]+)"/g, (_, name, target) => `${name}="${targetOf(target, page)}"`);
}

function targetOf(target, { file, place, root, stage, pages, problems }) {
  if (/^[a-z]+:|^#/.test(target)) return target;
  const [path, heading] = target.split('#');
  const full = posix.normalize(posix.join(posix.dirname(file), path)).replace(/\/$/, '');
  const hash = heading === undefined ? '' : `#${heading}`;
  const page = [full, `${full}/README.md`].find((one) => pages.has(one));
  if (page !== undefined) return `${relativeTo(place, pages.get(page))}${hash}`;
  if (!existsSync(join(root, full))) {
    problems.push(`${file} links to ${target}, which is not there`);
    return target;
  }
  // A folder of the repository is no page of the site: its name stays as text.
  if (statSync(join(root, full)).isDirectory()) return `drop:${full}`;
  const isPicture = /\.(png|webp|svg|jpg)$/.test(full);
  // A file without an ending that browsers show would be taken for a page.
  const shown = isPicture || /\.(json|ya?ml|txt)$/.test(full) ? full : `${full}.txt`;
  const copy = posix.join(isPicture ? 'files' : 'public/files', shown);
  mkdirSync(dirname(join(stage, copy)), { recursive: true });
  cpSync(join(root, full), join(stage, copy));
  return isPicture ? relativeTo(place, copy) : `/files/${shown}`;
}

function relativeTo(place, other) {
  const path = relative(dirname(place), other);
  return path.startsWith('.') ? path : `./${path}`;
}

/** The lists of the site: those of docs/README.md, then the pages for those who change Cadre. */
function listsOf(readme, pages, root) {
  const titled = (file) => ({ text: titleOf(readFileSync(join(root, file), 'utf8')), link: linkOf(pages.get(file)) });
  const inLinks = (text) =>
    [...text.matchAll(/\]\(([^()\s#]+)\)/g)]
      .map(([, target]) => posix.normalize(posix.join('docs', target)))
      .filter((file) => pages.has(file))
      .map(titled);
  const [start, concepts, reference, figures] = readme.split(/\*\*(?=[A-Z])/).slice(1);
  const groups = [...concepts.matchAll(/^\| ([^|[]+) \| (.*) \|$/gm)].map(([, text, links]) => ({
    text: text[0].toUpperCase() + text.slice(1),
    collapsed: true,
    items: inLinks(links),
  }));
  const index = (folder) => [
    titled(`docs/${folder}/README.md`),
    ...[...pages.keys()]
      .filter((file) => file.startsWith(`docs/${folder}/`) && !file.endsWith('README.md'))
      .map(titled),
  ];
  const isExample = ({ link }) => link.startsWith('/examples/');
  return [
    { text: 'Start', items: [titled('docs/README.md'), ...inLinks(start).filter((item) => !isExample(item))] },
    { text: 'Examples', collapsed: true, items: inLinks(start).filter(isExample) },
    { text: 'Concepts', items: groups },
    { text: 'Reference', collapsed: true, items: inLinks(reference) },
    { text: 'Figures', collapsed: true, items: [...inLinks(figures), titled('bench/results.md')] },
    {
      text: 'How it is built',
      collapsed: true,
      items: [
        ...['docs/architecture.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].map(titled),
        { text: 'Decisions', collapsed: true, items: index('decisions') },
        { text: 'Internals', collapsed: true, items: index('internals') },
      ],
    },
  ];
}

const titleOf = (text) => (/^# (.*)$/m.exec(text)?.[1] ?? '').replaceAll(/[`*]/g, '');
