import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { readCadre } from '../load.ts';

const agent = (more = ''): string => `---\ndescription: Does things.\nmodels: openai/x\n${more}---\nYou do things.\n`;

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-choice-'));
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), content);
  }
  return folder;
}

const namesIn = async (files: Readonly<Record<string, string>>) => {
  const { cadre, diagnostics } = await readCadre(folderOf(files));
  return { names: [...(cadre?.agents.keys() ?? [])], codes: diagnostics.map(({ code }) => code) };
};

test('`agents` says which files are agents, and `ignore` which are not', async () => {
  const files = {
    'agents/a.md': agent(),
    'agents/drafts/b.md': agent(),
    'docs/guide.md': '---\ntitle: A page of a site\n---\nText.\n',
    'c.md': agent(),
  };
  expect(await namesIn({ ...files, 'cadre.yaml': 'agents: ["agents/**"]\nignore: [agents/drafts]\n' })).toEqual({
    names: ['a'],
    codes: [],
  });
  expect((await namesIn({ ...files, 'cadre.yaml': 'agents: "*.md"\n' })).names).toEqual(['c']);
  expect((await namesIn({ ...files, 'cadre.yaml': 'ignore: [docs/**]\n' })).names).toEqual(['a', 'b', 'c']);
});

test('.claude/agents and .cadre/agents are found, and nothing else in folders that begin with a dot', async () => {
  const { names } = await namesIn({
    '.claude/agents/a.md': agent('tools: Read\n'),
    '.claude/agents/deep/a2.md': agent('tools: Read\n'),
    '.cadre/agents/b.md': agent(),
    '.claude/commands/c.md': agent(),
    '.cadre/runs/d/d.md': agent(),
    '.cadre/blobs/e.md': agent(),
    '.cadre/f.md': agent(),
    'sub/.claude/agents/g.md': agent(),
    '.github/h.md': agent(),
  });
  expect(names).toEqual(['b', 'a', 'a2']);
});

test('no pattern opens the folder of a store, and one may name another folder that begins with a dot', async () => {
  const files = { '.cadre/runs/a.md': agent(), 'x/.cadre/runs/b.md': agent(), '.team/c.md': agent() };
  const { names } = await namesIn({ ...files, 'cadre.yaml': 'agents: [".cadre/**", "x/.cadre/**", ".team/**"]\n' });
  expect(names).toEqual(['c']);
});

test('a pattern that matches nothing is a warning, and one that cannot be read an error', async () => {
  expect((await namesIn({ 'a.md': agent(), 'cadre.yaml': 'agents: ["*.md", "gone/**"]\n' })).codes).toEqual([
    'agents/no-match',
  ]);
  for (const bad of ['"{a,b}/**"', '"../x/**"', '"/etc/**"', '"[ab].md"', '[]', '"!a.md"']) {
    const { codes } = await namesIn({ 'a.md': agent(), 'cadre.yaml': `ignore: ${bad}\n` });
    expect(codes, bad).toHaveLength(1);
  }
});

test('links to folders are not followed through a pattern', async () => {
  const outside = folderOf({ 'x.md': agent() });
  const folder = folderOf({ 'cadre.yaml': 'agents: ["here/**", "*.md"]\n', 'a.md': agent() });
  symlinkSync(outside, join(folder, 'here'));
  const { cadre } = await readCadre(folder);
  expect([...cadre!.agents.keys()]).toEqual(['a']);
});

test('thousands of patterns are cut to a number, and a long one is refused', async () => {
  const many = Array.from({ length: 3000 }, (_, index) => `"**/x${index}*"`).join(', ');
  expect((await namesIn({ 'a.md': agent(), 'cadre.yaml': `ignore: [${many}]\n` })).codes).toEqual(['value/range']);
  expect((await namesIn({ 'a.md': agent(), 'cadre.yaml': `ignore: "${'*a'.repeat(5000)}"\n` })).codes).toEqual([
    'glob/syntax',
  ]);
});
