import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { validate } from 'skills-ref';
import { expect, test } from 'vitest';
import type { AssemblyOptions } from '../link/assemble.ts';
import { readCadre } from '../load.ts';
import { readSkill } from './skill-file.ts';

const agent = (more = ''): string => `---\ndescription: Does things.\nmodels: openai/x\n${more}---\nYou do things.\n`;
const skill = (name: string, more = '', body = 'Do it.'): string =>
  `---\nname: ${name}\ndescription: For ${name}.\n${more}---\n${body}\n`;

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-skills-'));
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), content);
  }
  return folder;
}

const findings = async (folder: string, options: AssemblyOptions = {}): Promise<readonly string[]> =>
  (await readCadre(folder, options)).diagnostics.map(
    ({ code, severity, file, line, column, message }) => `${severity} ${code} ${file}:${line}:${column} ${message}`,
  );

test('a SKILL.md and the Markdown below its folder are never agents, whatever agents says', async () => {
  const files = {
    'a.md': agent(),
    'skills/pdf/SKILL.md': skill('pdf', 'allowed-tools: Bash\n'),
    'skills/pdf/references/forms.md': agent('next: nowhere\n'),
    '.claude/skills/csv/SKILL.md': skill('csv'),
    'broken/SKILL.md': 'no frontmatter',
    'broken/x.md': agent('next: nowhere\n'),
  };
  expect(await findings(folderOf(files))).toEqual([]);
  const folder = folderOf({ ...files, 'cadre.yaml': 'agents: ["a.md", "skills/**", ".claude/**", "broken/**"]\n' });
  const { cadre, diagnostics } = await readCadre(folder);
  expect([...(cadre?.agents.keys() ?? [])]).toEqual(['a']);
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  for (const file of ['skills/pdf/SKILL.md', 'skills/pdf/references/forms.md'])
    expect(await findings(join(folder, file))).toContainEqual(
      expect.stringMatching(/^error file\/skill .* belongs to a skill \(it has a SKILL\.md\)/),
    );
  expect(await findings(folderOf({ 'SKILL.md': skill('x'), 'a.md': agent() }))).toEqual([
    expect.stringMatching(/^error file\/skill \.:1:1 /),
  ]);
});

test('a skill that is named has to be there and sound, one that is found is left out with a warning', async () => {
  const folder = folderOf({
    'a.md': agent('skills: true\n'),
    'b.md': agent('skills: [pdf, csw, bad, ./extra/, ./none/, ./extra/other]\n'),
    'c.md': agent('skills:\n  use: [pdf]\n  preload: [pfd]\n'),
    'd.md': agent('skills: pdf, csv\n'),
    'e.md': agent('skills: [../x, /etc, ./.ssh/keys, "a\\\\b/c", ., none]\n'),
    'f.md': agent('skills: {preload: [pdf]}\n'),
    'g.md': agent('skills: {use: pdf, also: 1}\n'),
    'skills/pdf/SKILL.md': skill('pdf'),
    'skills/csv/SKILL.md': skill('csv'),
    'skills/bad/SKILL.md': skill('Bad'),
    'extra/other/SKILL.md': '---\nname: other\n---\n',
  });
  const invalid = 'is no name of a skill';
  expect(await findings(folder)).toEqual([
    'error skill/unknown b.md:4:15 there is no skill "csw" in skills/csw, .agents/skills/csw, .claude/skills/csw, .github/skills/csw',
    `error skill/invalid b.md:4:20 skills/bad/SKILL.md:2:7: "Bad" ${invalid}`,
    `error skill/unknown b.md:4:35 there is no folder "none" in the workspace ${folder}`,
    'error skill/invalid b.md:4:44 extra/other/SKILL.md:1:1: it has no description',
    'error skill/unknown c.md:6:13 preload names "pfd", which is not among the skills of this agent',
    'error skill/unknown e.md:4:10 "../x" is outside the workspace',
    'error skill/unknown e.md:4:16 "/etc" is outside the workspace',
    'error skill/unknown e.md:4:22 ".ssh/keys" is not looked into: ".ssh" may hold secrets',
    'error skill/unknown e.md:4:35 "a\\\\b/c" is not a usable path',
    'error skill/unknown e.md:4:45 the workspace itself is no folder of skills',
    'error skill/unknown e.md:4:48 there is no skill "none" in skills/none, .agents/skills/none, .claude/skills/none, .github/skills/none',
    'warning skill/invalid extra/other/SKILL.md:1:1 this skill is not used: it has no description',
    'error key/unknown g.md:4:20 unknown key "also" in `skills`',
    `warning skill/invalid skills/bad/SKILL.md:2:7 this skill is not used: "Bad" ${invalid}`,
  ]);
  const { cadre, diagnostics } = await readCadre(folder);
  expect(cadre?.agents.get('d')?.skills).toEqual({ use: ['pdf', 'csv'], preload: [] });
  expect(cadre?.agents.get('f')?.skills).toEqual({ use: ['pdf'], preload: ['pdf'] });
  expect(diagnostics.map(({ help }) => help)).toEqual(
    expect.arrayContaining([expect.stringContaining('Did you mean "csv"?'), 'Did you mean "pdf"?']),
  );
  expect(await findings(folder, { workspace: 'unread' })).not.toContainEqual(expect.stringContaining('csw'));
});

test('warnings only: strange keys, a long text, tools that the agent lacks, doubles, too many, none', async () => {
  const folder = folderOf({
    'a.md': agent('skills: true\ntools: [files, shell/run_command]\n'),
    'b.md': agent('skills: [./empty/]\n'),
    'empty/x.txt': '',
    'skills/pdf/SKILL.md': skill(
      'pdf',
      'version: 2\nauthor: x\nallowed-tools: Bash(git log:*), Read, Write WebSearch\n',
    ),
    'skills/long/SKILL.md': skill('long', 'license: MIT\ncompatibility: all\nmetadata: {a: b}\n', 'word '.repeat(6000)),
    '.agents/skills/pdf/SKILL.md': skill('pdf'),
  });
  mkdirSync(join(folder, '.claude'));
  symlinkSync('../skills', join(folder, '.claude/skills'));
  for (let count = 0; count < 101; count++) {
    mkdirSync(join(folder, `.github/skills/s${count}`), { recursive: true });
    writeFileSync(join(folder, `.github/skills/s${count}/SKILL.md`), skill(`s${count}`));
  }
  expect(await findings(folder)).toEqual([
    'warning skill/duplicate .agents/skills/pdf/SKILL.md:1:1 this skill is not used: skills/pdf/SKILL.md has the same name',
    'warning skill/too-many a.md:4:9 3 of 103 skills find no room in the prompt: s97, s98, s99',
    'warning skill/none b.md:4:10 there is no skill in ./empty',
    'warning skill/long skills/long/SKILL.md:1:1 its text takes about 6000 tokens, and a skill is to have no more than 5000',
    'warning skill/tools skills/pdf/SKILL.md:1:1 the skill pdf asks for tools that a.md does not have: Write, WebSearch',
    'warning skill/key skills/pdf/SKILL.md:4:1 the format of skills does not know "version", "author", and nothing is done with it',
  ]);
});

test('skills may be a default that a file takes back, and are looked for in the workspace that is used', async () => {
  const folder = folderOf({
    'cadre.yaml': 'workspace: work\ndefaults: { skills: [pdf] }\n',
    'a.md': agent(),
    'b.md': agent('skills: false\n'),
    'skills/pdf/SKILL.md': skill('pdf'),
    'work/x.txt': '',
  });
  expect(await findings(folder)).toEqual([expect.stringMatching(/^error skill\/unknown cadre\.yaml:2:22 /)]);
  expect(await findings(folder, { workspace: folder })).toEqual([]);
  const { cadre } = await readCadre(folder, { workspace: folder });
  expect(cadre?.agents.get('a')?.skills?.use).toEqual(['pdf']);
  expect(cadre?.agents.get('b')?.skills).toBeUndefined();
});

test.each([
  ['pdf', 'pdf'],
  ['2048', '2048'],
  ['"yes"', 'yes'],
  ['on', 'on'],
  ['données', 'données'],
  ['文書', '文書'],
  ['a-1-b', 'a-1-b'],
  ['x'.repeat(64), 'x'.repeat(64)],
])('the name %s is one', (written, folder) => {
  expect(readSkill({ file: 'SKILL.md', text: skill(written) }, folder).skill?.name).toBe(folder);
});

test.each(['PDF', 'a--b', '-a', 'a-', 'a_b', 'a b', 'a.b', 'x'.repeat(65), '""', '[a]'])(
  'the name %s is none',
  (name) => {
    const { skill: read, faults } = readSkill({ file: 'SKILL.md', text: skill(name) }, name);
    expect(read).toBeUndefined();
    expect(faults).toHaveLength(1);
  },
);

test('a description that is not YAML is read as other tools read it', () => {
  const text = '---\nname: pdf\ndescription: Use when: the user says "fill". #1\n---\nbody\n';
  expect(readSkill({ file: 'SKILL.md', text }, 'pdf').skill).toMatchObject({
    description: 'Use when: the user says "fill". #1',
    body: 'body',
  });
  const folded = '---\r\nname: pdf\r\ndescription: >\r\n  Two\r\n  lines\r\n---\r\nbody\r\n';
  expect(readSkill({ file: 'SKILL.md', text: folded }, 'pdf').skill?.description).toBe('Two lines');
});

/** Lines of the frontmatter below the name, or the whole text. */
const WRITTEN: Readonly<Record<string, string | { readonly text: string }>> = {
  plain: 'description: For x.',
  'every key of the format':
    'description: For x.\nlicense: MIT\ncompatibility: all\nmetadata: {a: 1}\nallowed-tools: Bash',
  'a description of two lines': 'description: |\n  Two\n  lines',
  'a description of 1024 characters': `description: ${'x'.repeat(1024)}`,
  'a description of 1025 characters': `description: ${'x'.repeat(1025)}`,
  'a description that is a number': 'description: 17',
  'a description that is a yes': 'description: yes',
  'an empty description': 'description: ""',
  'no description': 'license: MIT',
  'a description with a colon': 'description: Use when: asked',
  'a strange key': 'description: For x.\nversion: 1',
  'a long compatibility': `description: For x.\ncompatibility: ${'x'.repeat(501)}`,
  'a compatibility that is a list': 'description: For x.\ncompatibility: [a, b]',
  'a compatibility that is a number': 'description: For x.\ncompatibility: 3',
  'a second name': 'name: y\ndescription: For x.',
  'a tab in the YAML': 'description: For x.\nmetadata:\n\ta: 1',
  'an open quote': 'description: "For x.',
  'line ends of Windows': { text: '---\r\nname: x\r\ndescription: For x.\r\n---\r\nDo.\r\n' },
  'a list': { text: '---\n- name: x\n---\nDo.\n' },
  'no end': { text: '---\nname: x\ndescription: For x.\n' },
  'no frontmatter': { text: 'Do.\n' },
  nothing: { text: '' },
  'a blank line first': { text: '\n---\nname: x\ndescription: For x.\n---\nDo.\n' },
};

test.each(Object.entries(WRITTEN))(
  '%s: what the validator passes is used, what it refuses has a finding',
  async (_, one) => {
    const text = typeof one === 'string' ? `---\nname: x\n${one}\n---\nDo it.\n` : one.text;
    const folder = folderOf({ 'x/SKILL.md': text });
    const violations = await validate(join(folder, 'x'));
    const { skill: used, faults, warnings } = readSkill({ file: 'SKILL.md', text }, 'x');
    if (violations.length === 0) expect([used?.name, faults]).toEqual(['x', []]);
    else expect([...faults, ...warnings], violations.join()).not.toEqual([]);
  },
);
