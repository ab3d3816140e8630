// The documentation holds: what is generated is up to date, links lead somewhere, and marked code is what it says.
// A fence is marked by what stands after its language: ```yaml cadre.yaml is read as one, ```markdown clerk.md as an
// agent file, and ```markdown examples/… must stand in that file as it is.

import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { readAgentFile } from '../src/agents/agent-file.ts';
import { readConfig } from '../src/agents/config.ts';
import type { Finding } from '../src/agents/diagnostic.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
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

/** As GitHub makes anchors of them. */
function headingsIn(text: string): readonly string[] {
  const prose = text.replaceAll(/^```.*?^```/gms, '');
  return [...prose.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

interface Snippet {
  readonly name: string;
  readonly line: number;
  readonly code: string;
}

function snippetsIn(text: string): readonly Snippet[] {
  const fences = text.matchAll(/^```(?:yaml|markdown) (\S+)\n(.*?)^```$/gms);
  return [...fences].map((fence) => ({
    name: fence[1] ?? '',
    line: text.slice(0, fence.index).split('\n').length,
    code: fence[2] ?? '',
  }));
}

function findingsIn(file: string, text: string): readonly string[] {
  const found: string[] = [];
  const report = ({ code, message }: Finding): void => void found.push(`${code}: ${message}`);
  if (file === 'cadre.yaml') readConfig({ file, text }, '/', report);
  else readAgentFile({ file, text }, '/', report);
  return found;
}
