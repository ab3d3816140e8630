// The documentation holds: what is generated is up to date, links lead somewhere, and marked code is what it says.
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

test('the figures of the README are those of the last measurement', () => {
  const [, table = ''] = /<!-- peers -->\n(.*?)<!-- \/peers -->/s.exec(read('README.md')) ?? [];
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
  const prose = text.replaceAll(/^```.*?^```/gms, '').replaceAll(/`[^`\n]*`(?!\])/g, '');
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
