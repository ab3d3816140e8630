// The documentation holds: what is generated is up to date, links lead somewhere, files that a page names are there, and
// marked code is what it says.
// A fence is marked by what stands after its language: ```yaml cadre.yaml is read as one, ```yaml x.script.yaml as a script,
// ```markdown clerk.md as an agent file, and ```markdown examples/… must stand in that file as it is. What the pages say to
// type is tried in docs.commands.test.ts.

import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Finding } from '../src/definition/diagnostic.ts';
import { readAgentFile } from '../src/definition/read/agent-file.ts';
import { readConfig } from '../src/definition/read/config/config.ts';
import { FAULTS } from '../src/kernel/fault.ts';
import { loadScript } from '../src/models/scripted/load.ts';
import { type Fence, fencesIn, ROOT } from './support/fences.ts';

const root = ROOT;
const below = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file));
const pages = [
  ...['README.md'].filter((file) => existsSync(join(root, file))),
  ...below('docs').filter((file) => file.endsWith('.md')),
  ...below('examples').filter((file) => basename(file) === 'README.md'),
].toSorted();
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

test('generated pages and schemas are up to date', async () => {
  const generated = promisify(execFile)(process.execPath, ['scripts/reference.mjs', '--check'], { cwd: root });
  await expect(generated.catch((failed: { stderr: string }) => failed)).resolves.toMatchObject({ stderr: '' });
});

test('the figures of the frameworks that people ask about are those of the last measurement', () => {
  const [, table = ''] = /<!-- asked -->\n(.*?)<!-- \/asked -->/s.exec(read('docs/benchmarks.md')) ?? [];
  const rows = table.trim().split('\n').slice(2);
  const results = read('bench/results.md').split('\n');
  expect(rows).toHaveLength(4);
  for (const row of rows) {
    const [name = '', ...figures] = row
      .split('|')
      .map((cell) => cell.trim())
      .filter(Boolean);
    const measured = results.find((line) => line.startsWith(`| ${name} `)) ?? '';
    expect(
      figures.filter((figure) => !measured.includes(`| ${figure} (`)),
      name,
    ).toEqual([]);
  }
});

test('the words for users are no more than they may be, and a page of a concept can be read in one go', async () => {
  const counted = promisify(execFile)(process.execPath, ['scripts/words.mjs', '--most', '28000', '--page', '900']);
  await expect(counted.catch((failed: { stderr: string }) => failed)).resolves.toMatchObject({ stderr: '' });
});

describe.each(pages)('%s', (page) => {
  const text = read(page);

  test('links lead to files and headings that exist', () => {
    const broken = linksIn(text).filter((link) => !leadsSomewhere(link, page));
    expect(broken).toEqual([]);
  });

  test.each(snippetsIn(text))('line $line: $name is right', ({ name, code }) => {
    if (name.startsWith('examples/')) expect(read(name)).toContain(code);
    else expect(findingsIn(name, code)).toEqual([]);
  });
});

function linksIn(text: string): readonly string[] {
  const prose = text.replaceAll(/^```.*?^```/gms, '').replaceAll(/(`+)[^`\n]+?\1/g, 'code');
  const targets = [...prose.matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

function leadsSomewhere(link: string, page: string): boolean {
  const [path = '', heading] = link.split('#');
  const file = path === '' ? join(root, page) : resolve(root, dirname(page), path);
  if (!existsSync(file)) return false;
  if (heading === undefined || statSync(file).isDirectory()) return true;
  return headingsIn(readFileSync(file, 'utf8')).includes(heading);
}

/** The anchors of headings, as GitHub makes them. */
function headingsIn(text: string): readonly string[] {
  const prose = text.replaceAll(/^```.*?^```/gms, '');
  return [...prose.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

const snippetsIn = (text: string): readonly Fence[] =>
  fencesIn(text).filter(({ language, name }) => name !== '' && (language === 'yaml' || language === 'markdown'));

function findingsIn(name: string, text: string): readonly string[] {
  const file = basename(name);
  const found: string[] = [];
  const report = ({ code, message }: Finding): void => void found.push(`${code}: ${message}`);
  if (file === 'cadre.yaml') readConfig({ file, text }, '/', report);
  else if (file.endsWith('.script.yaml'))
    loadScript(text, file); // throws with every mistake
  else if (text.startsWith('---')) readAgentFile({ source: { file, text }, folder: '/', report });
  return found;
}

const ROOMS = readdirSync(join(root, 'src'), { withFileTypes: true }).flatMap((one) =>
  one.isDirectory() ? [one.name] : [],
);
const TOPS = new Set(['src', 'test', 'web', 'scripts', 'bench', 'schema', ...ROOMS]);

/** A path may leave out `src/`, and the end of a file's name. */
const isThere = (path: string): boolean =>
  ['', 'src/'].some((start) =>
    ['', '.ts', '.test.ts', '.processes.test.ts'].some((end) => existsSync(join(root, `${start}${path}${end}`))),
  );

const spansOf = (text: string): readonly string[] => [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);

const isPath = (span: string): boolean =>
  /^[a-z][\w.-]*\/[\w./-]*$/.test(span) && TOPS.has(span.slice(0, span.indexOf('/'))) && !Object.hasOwn(FAULTS, span);

test('every file that a page names is there', () => {
  const named = [...pages, 'AGENTS.md', 'CONTRIBUTING.md'].flatMap((page) =>
    spansOf(read(page)).flatMap((span) => (isPath(span) ? [[page, span]] : [])),
  );
  expect(named.length).toBeGreaterThan(200);
  expect(named.filter(([, span = '']) => !isThere(span)).map((one) => one.join(': '))).toEqual([]);
});

const numbered = ['docs/decisions', 'docs/internals'].map((folder) => ({
  folder,
  files: readdirSync(join(root, folder)).filter((file) => /^\d/.test(file)),
}));

test.each(numbered)('the index of $folder has every page of it', ({ folder, files }) => {
  const index = read(join(folder, 'README.md'));
  expect(files.length).toBeGreaterThan(10);
  expect(files.filter((file) => !index.includes(`(${file})`))).toEqual([]);
});

test('every decision that a comment or a page names by its number is there', () => {
  const rows = numbered.flatMap(({ folder }) => [...read(join(folder, 'README.md')).matchAll(/^\| (\d+) \|/gm)]);
  const numbers = new Set(rows.map(([, number]) => Number(number)));
  const sources = ['src', 'web', 'scripts', 'test'].flatMap(below).filter((file) => /\.(ts|tsx|mjs)$/.test(file));
  const named = [...sources, ...pages, 'AGENTS.md', 'CONTRIBUTING.md'].flatMap((file) =>
    [...read(file).matchAll(/\bdecision (\d+)/gi)].map(([, number]) => ({ file, number: Number(number) })),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter(({ number }) => !numbers.has(number))).toEqual([]);
});

const architecture = read('docs/architecture.md');

const sectionOf = (heading: string): string => {
  const [, rest = ''] = architecture.split(`\n## ${heading}\n`);
  return rest.split('\n## ')[0] ?? '';
};

test('the walk of one call names files that are there', () => {
  const steps = sectionOf('One model call, from top to bottom')
    .split('\n')
    .flatMap((line) => /^([a-z][\w/-]+)(, …)? {2,}/.exec(line)?.[1] ?? []);
  expect(steps.length).toBeGreaterThan(8);
  expect(steps.filter((step) => !isThere(step))).toEqual([]);
});

test('the table of folders has every room, and what it names of a room is in it', () => {
  const rows = sectionOf('The layers')
    .split('\n')
    .flatMap((line) => [...line.matchAll(/^\| `([a-z-]+)\/` \| (.*) \|$/g)]);
  expect(new Set(rows.map(([, room]) => room))).toEqual(new Set(ROOMS));
  const missing = rows.flatMap(([, room = '', says = '']) =>
    spansOf(says)
      .filter((span) => /^[a-z-]+\/$/.test(span) && span !== `${room}/`)
      .map((span) => join(room, span))
      .filter((path) => !existsSync(join(root, 'src', path))),
  );
  expect(missing.filter((path) => !ROOMS.includes(path.split('/')[1] ?? ''))).toEqual([]);
});
