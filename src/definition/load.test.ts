import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FaultError } from '../kernel/fault.ts';
import { cadreFromTexts, loadCadre, readCadre, readCadres } from './load.ts';

const agent = (more = ''): string => `---\ndescription: Does things.\nmodels: openai/x\n${more}---\nYou do things.\n`;

function folderOf(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-load-'));
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), content);
  }
  return folder;
}

const codes = async (target: string) =>
  (await readCadre(target)).diagnostics.map(({ code, file }) => `${file} ${code}`);

test('a folder of agent files is a cadre, whatever else is in it', async () => {
  const folder = folderOf({
    'b.md': agent('next: c\n'),
    'deep/er/c.md': agent(),
    'README.md': '# Not an agent\n',
    'notes.txt': '---\n',
    '.hidden/x.md': agent(),
    'node_modules/p/y.md': agent(),
    'nested/cadre.yaml': '',
    'nested/z.md': agent(),
  });
  const { cadre, diagnostics, texts } = await readCadre(folder);
  expect(diagnostics).toEqual([]);
  expect([...cadre!.agents.keys()]).toEqual(['b', 'c']);
  expect([...texts.keys()]).toEqual(['b.md', 'deep/er/c.md']);
  expect(cadre?.folder).toBe(folder);
  expect(cadre?.agents.get('c')?.file).toBe('deep/er/c.md');
  expect(cadre?.agents.get('b')?.system).toBe('You do things.');
});

test('one agent file is loaded with the whole cadre around it', async () => {
  const folder = folderOf({
    'cadre.yaml': 'limits: {maxTurns: 7}\n',
    'desk/front.md': agent('agents: [back]\n'),
    'back.md': agent(),
  });
  const { cadre, folder: found, entry } = await readCadre(join(folder, 'desk/front.md'));
  expect([found, entry]).toEqual([folder, 'front']);
  expect([...cadre!.agents.keys()]).toEqual(['back', 'front']);
  expect(cadre?.config.file).toBe(join(folder, 'cadre.yaml'));
  // The cadre's cap lowers the default.
  expect(cadre?.agents.get('front')?.maxTurns).toBe(7);
  expect((await readCadre(join(folder, 'cadre.yaml'))).cadre?.agents.size).toBe(2);
  expect((await readCadre(join(folder, 'desk'))).folder).toBe(folder);
});

test('the recorded texts give the same definition without the disk', async () => {
  const folder = folderOf({
    'cadre.yaml':
      'providers: {demo: {kind: scripted, script: ./s.yaml}}\nmodels: {fast: {use: demo/x}}\ndefaults: {models: fast}\naliases: {triage: ./desk/a.md}\n',
    'desk/a.md': '\uFEFF---\r\nagents: [b]\r\nspawn: true\r\n---\r\nHello\r\n',
    'b.md': '---\ndescription: B\n---\nx',
  });
  const cadre = await loadCadre(folder);
  expect(cadre.config.aliases).toEqual({ triage: 'a' });
  expect(cadreFromTexts(folder, cadre.texts)).toEqual(cadre);
  expect(cadreFromTexts('/nowhere', cadre.texts).config.providers['demo']?.script).toBe('/nowhere/s.yaml');
});

test('texts that do not hold a cadre are refused as a folder would be', () => {
  expect(() => cadreFromTexts('/x', new Map([['a.md', '---\nnext: b\n---\nx']]))).toThrow(
    /a\.md:2:7 error ref\/unresolved/,
  );
  expect(() => cadreFromTexts('/x', new Map())).toThrow(FaultError);
});

test('a folder or file that is not there is said to be so', async () => {
  expect(await codes('/no/such/folder')).toEqual(['. folder/unreadable']);
  await expect(loadCadre('/no/such/folder')).rejects.toMatchObject({ fault: { code: 'agent/unreadable' } });
  await expect(loadCadre('/no/such\0folder')).rejects.toMatchObject({ fault: { code: 'agent/unreadable' } });
});

test('a folder without agents says how to make one', async () => {
  expect(await codes(folderOf({ 'README.md': '# Hello' }))).toEqual(['. folder/empty']);
});

test('a folder that holds only other cadres stands for them, and one that must be a cadre says which there are', async () => {
  const folder = folderOf({ 'b/cadre.yaml': '', 'b/x.md': agent(), 'deep/a/cadre.yaml': '', 'deep/a/y.md': agent() });
  const placed = await readCadres(folder);
  expect(placed.map(({ prefix, reading }) => [prefix, reading.agents])).toEqual([
    ['b/', 1],
    ['deep/a/', 1],
  ]);
  await expect(loadCadre(folder)).rejects.toThrow(
    `there are cadres below it: ${join(folder, 'b')}, ${join(folder, 'deep/a')}. Name one of them.`,
  );
  writeFileSync(join(folder, 'own.md'), agent());
  expect((await readCadres(folder)).map(({ prefix }) => prefix)).toEqual(['']);
});

test('a file that is not an agent cannot be run', async () => {
  const folder = folderOf({ 'README.md': '# Hello', 'a.md': agent() });
  expect(await codes(join(folder, 'README.md'))).toEqual(['README.md file/not-agent']);
  expect((await readCadre(join(folder, 'README.md'))).unreadable).toBe(true);
});

test('a reference to a Markdown file that is no agent says what is missing in it', async () => {
  const { diagnostics } = await readCadre(
    folderOf({ 'a.md': agent('agents: [./b.md, c]\n'), 'b.md': 'No frontmatter.', 'c.md': '\n---\n---\n' }),
  );
  expect(diagnostics.map(({ help }) => help)).toEqual([
    'b.md is there, but it is not an agent: its first line is not ---.',
    'c.md is there, but it is not an agent: its first line is not ---.',
  ]);
});

test('files that are not text are refused, and told apart', async () => {
  const folder = folderOf({
    'binary.md': Buffer.concat([Buffer.from('---\n'), Buffer.from([0, 1, 2, 255])]),
    'latin.md': Buffer.from('---\nusage: x\n---\ncaf\xe9\n', 'latin1'),
    'utf16.md': Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('---\n', 'utf16le')]),
    'picture.md': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0]),
    'good.md': agent(),
  });
  const { diagnostics } = await readCadre(folder);
  expect(diagnostics.map(({ file, code }) => `${file} ${code}`)).toEqual([
    'binary.md file/binary',
    'latin.md file/encoding',
    'utf16.md file/encoding',
  ]);
  expect(diagnostics[1]?.message).toContain('first on line 4');
});

test('a huge agent file is refused by its size, and a huge README is not looked at', async () => {
  const folder = folderOf({ 'big.md': agent(), 'README.md': '# Large\n', 'good.md': agent() });
  truncateSync(join(folder, 'big.md'), 50 * 1_048_576);
  truncateSync(join(folder, 'README.md'), 50 * 1_048_576);
  expect(await codes(folder)).toEqual(['big.md file/too-large']);
});

test('links that lead nowhere or in circles end in a finding', async () => {
  const folder = folderOf({ 'a.md': agent(), 'sub/b.md': agent() });
  symlinkSync(folder, join(folder, 'sub/loop'));
  symlinkSync(join(folder, 'x.md'), join(folder, 'y.md'));
  symlinkSync(join(folder, 'y.md'), join(folder, 'x.md'));
  symlinkSync(join(folder, 'nowhere'), join(folder, 'dead.md'));
  symlinkSync(join(folder, 'sub/b.md'), join(folder, 'linked.md'));
  expect(await codes(folder)).toEqual(['dead.md file/unreadable', 'x.md file/unreadable', 'y.md file/unreadable']);
});

test('a folder called x.md is a folder', async () => {
  const { cadre } = await readCadre(folderOf({ 'x.md/a.md': agent() }));
  expect([...cadre!.agents.keys()]).toEqual(['a']);
});

test.skipIf(process.getuid?.() === 0)('a folder and a file that may not be read are findings', async () => {
  const folder = folderOf({ 'a.md': agent(), 'closed/b.md': agent(), 'c.md': agent() });
  chmodSync(join(folder, 'closed'), 0);
  chmodSync(join(folder, 'c.md'), 0);
  const found = await codes(folder);
  chmodSync(join(folder, 'closed'), 0o700);
  expect(found).toEqual(['c.md file/unreadable', 'closed folder/unreadable']);
});

test('names that objects have of their own are ordinary names, or refused as names', async () => {
  const folder = folderOf({
    'constructor.md': agent('agents: [tostring]\n'),
    'tostring.md': agent(),
    '__proto__.md': agent(),
  });
  expect(await codes(folder)).toEqual(['__proto__.md name/invalid']);
  const { cadre } = await readCadre(folderOf({ 'constructor.md': agent() }));
  expect(cadre?.agents.get('constructor')?.name).toBe('constructor');
});

test('a file name that is no agent name is told', async () => {
  expect(await codes(folderOf({ 'Front Desk.md': agent() }))).toEqual(['Front Desk.md name/invalid']);
  expect(await codes(folderOf({ 'Front Desk.md': agent('name: front-desk\n') }))).toEqual([]);
});

test('a broken cadre.yaml and broken agents are all told at once', async () => {
  const folder = folderOf({
    'cadre.yaml': 'limits: [',
    'a.md': '---\nusage: "\n---\nx',
    'b.md': agent('agents: [a, c]\n'),
  });
  expect(await codes(folder)).toEqual(['a.md yaml/syntax', 'b.md ref/unresolved', 'cadre.yaml yaml/syntax']);
});

test('no text of an agent makes the check throw', () => {
  const word = fc.constantFrom(
    ...'name description models tools agents next handoff router team advisors input output schema format json members supervisor destinations self a b type object properties $ref reason required'.split(
      ' ',
    ),
    ': ',
    '\n',
    '\n  ',
    ', ',
    '- ',
    ...'{ } [ ] : " 5 true __proto__ #'.split(' '),
  );
  const text = fc.array(word, { maxLength: 40 }).map((words) => `---\n${words.join('')}\n---\nx`);
  fc.assert(
    fc.property(text, text, (a, b) => {
      try {
        cadreFromTexts(
          '/cadre',
          new Map([
            ['a.md', a],
            ['b.md', b],
          ]),
        );
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(FaultError);
        expect((thrown as FaultError).fault.code).toBe('agent/invalid');
      }
    }),
    { numRuns: 1500 },
  );
});

const findingsOf = async (folder: string, options = {}) =>
  (await readCadre(folder, options)).diagnostics.map(
    ({ code, severity, file, line, column }) => `${severity} ${code} ${file}:${line}:${column}`,
  );

test('a project file that is missing is a warning, one that is closed is an error, each at its place', async () => {
  const folder = folderOf({
    'a.md': agent('projectFiles: [AGENTS.md, none.md]\n'),
    'b.md': agent('projectFiles: [../x.md, /etc/passwd, .env, "a\\\\b", none.md]\n'),
    'c.md': agent('projectFiles:\n  - out.txt\n  - named.md\n  - folder\n  - picture.md\n'),
    'd.md': agent('projectFiles: ./AGENTS.md\n'),
    'AGENTS.md': 'Use tabs.\n',
    'picture.md': Buffer.from([1, 0, 2]),
    '.env': 'A=1\n',
    'folder/x.txt': '',
  });
  symlinkSync('/etc/hostname', join(folder, 'out.txt'));
  symlinkSync('.env', join(folder, 'named.md'));
  expect(await findingsOf(folder)).toEqual([
    'warning project-file/missing a.md:4:27',
    'error project-file/closed b.md:4:16',
    'error project-file/closed b.md:4:25',
    'error project-file/closed b.md:4:38',
    'error project-file/closed b.md:4:44',
    'warning project-file/missing b.md:4:52',
    'error project-file/closed c.md:5:5',
    'error project-file/closed c.md:6:5',
    'error project-file/closed c.md:7:5',
    'error project-file/closed c.md:8:5',
  ]);
  const { agents } = (await readCadre(folder)).cadre!;
  expect(agents.get('a')?.projectFiles).toEqual(['AGENTS.md', 'none.md']);
  expect(agents.get('d')?.projectFiles).toEqual(['AGENTS.md']);
});

test('project files are looked for in the workspace that is used, and may be a default', async () => {
  const folder = folderOf({
    'cadre.yaml': 'workspace: work\ndefaults: { projectFiles: [AGENTS.md] }\n',
    'a.md': agent(),
    'AGENTS.md': 'not here\n',
    'work/x.txt': '',
  });
  expect(await findingsOf(folder)).toEqual(['warning project-file/missing cadre.yaml:2:28']);
  expect(await findingsOf(folder, { workspace: folder })).toEqual([]);
  expect(await findingsOf(folder, { workspace: 'unread' })).toEqual([]);
  writeFileSync(join(folder, 'work/AGENTS.md'), 'here\n');
  expect(await findingsOf(folder)).toEqual([]);
});
