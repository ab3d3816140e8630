// The steps that the documentation gives a reader are taken here: the files of a page in a folder of their own, the
// commands through the built command line, the programs against the built library.

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { LLMock } from '@copilotkit/aimock';
import { afterEach, describe, expect, test } from 'vitest';
import { type Folder, folderWith } from './support/cli.ts';
import { fencesIn, filesOf, pageText, ROOT } from './support/fences.ts';

const folders: Folder[] = [];
const folder = (files: Readonly<Record<string, string>>): Folder => {
  const made = folderWith(files);
  folders.push(made);
  return made;
};
afterEach(() => {
  for (const one of folders.splice(0)) one.remove();
});

/** A page's own files; those of the examples are left out. */
const own = (page: string): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(filesOf(page)).filter(([name]) => !name.startsWith('examples/')));

/** Runs a program in a folder that has Cadre installed, and gives what it printed. */
async function node(of: Folder, ...args: readonly string[]): Promise<string> {
  const installed = join(of.path, 'node_modules/cadre');
  mkdirSync(dirname(installed), { recursive: true });
  if (!existsSync(installed)) symlinkSync(ROOT, installed);
  const env = { PATH: process.env['PATH'], HOME: of.path };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: of.path, env });
  return stdout + stderr;
}

describe('README.md', () => {
  test('its agent alone in a folder is refused with what is missing, and its cadre.yaml is that', async () => {
    const files = own('README.md');
    const alone = folder({ 'detective.md': files['detective.md'] ?? '' });
    const refused = await alone.cadre(['run', 'detective.md', 'Who took the oil?']);
    expect(refused).toMatchObject({ exit: 1, stdout: '' });
    expect(refused.stderr).toContain('detective.md:1:1 error model/missing: "detective" has no model');
    expect(refused.stderr).toContain('write a cadre.yaml beside it with defaults: {models: [provider/model]}');
    expect(await alone.cadre(['models'])).toMatchObject({ exit: 1, stderr: expect.stringContaining('cadre check') });
    alone.write('cadre.yaml', files['cadre.yaml'] ?? '');
    expect(await alone.cadre(['check'])).toMatchObject({ exit: 0, stdout: '' });
    expect((await alone.cadre(['models'])).stdout).toContain('local/small');
  });

  test('its agent and its cadre.yaml run on a server of this machine', async () => {
    const mock = new LLMock({ port: 0 });
    mock.addFixture({ match: { userMessage: 'oil' }, response: { content: 'Tobias gave it away.' } });
    await mock.start();
    const files = own('README.md');
    const config = files['cadre.yaml']?.replace('http://127.0.0.1:8080', mock.url) ?? '';
    const desk = folder({ ...files, 'cadre.yaml': config });
    const ran = await desk.cadre(['run', 'detective.md', 'Four gallons of lamp oil are missing. Who took them?']);
    await mock.stop();
    expect(ran).toMatchObject({ exit: 0, stdout: 'Tobias gave it away.\n' });
  });
});

test('the three things of README.md that nothing else does are done by their commands', {
  timeout: 120_000,
}, async () => {
  const shown = fencesIn(pageText('README.md')).flatMap(({ language, code }) =>
    language === 'sh' ? code.split('\n').filter((line) => /^(timeout .*)?cadre /.test(line)) : [],
  );
  expect(shown).toEqual([
    'cadre check examples/help-desk --bound',
    'timeout -s KILL 2 cadre run examples/newsroom/editor.md "What the bridge did to the village"',
    'cadre resume last',
    'cadre replay last',
    'cadre test examples/help-desk --alone',
  ]);
  const here = folder({});
  cpSync(join(ROOT, 'examples'), join(here.path, 'examples'), { recursive: true });
  const [bound, , resume, replay, alone] = shown.map((line) => line.split(' ').slice(1));
  expect((await here.cadre(bound ?? [])).stdout).toMatch(/^front-desk +[\d,]+ +[\d,]+ +\$/m);
  const killed = here.start(['run', 'examples/newsroom/editor.md', 'What the bridge did to the village']);
  await expect.poll(() => here.journal().filter(({ type }) => type === 'op-end').length).toBeGreaterThan(3);
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  const finished = here.journal().filter(({ type }) => type === 'op-end').length;
  expect((await here.cadre(resume ?? [])).exit).toBe(0);
  expect(here.journal().filter(({ type }) => type === 'op-end').length).toBeGreaterThan(finished);
  expect(await here.cadre(replay ?? [])).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^identical: /) });
  expect((await here.cadre(alone ?? [])).stdout).toMatch(/^alone +0 of 2/m);
});

test('the files of docs/concepts/agent-files.md make a cadre that passes the check, and its alias leads to an agent', async () => {
  const cadre = folder(own('docs/concepts/agent-files.md'));
  expect(await cadre.cadre(['check'])).toMatchObject({ exit: 0, stdout: '' });
  expect(await cadre.cadre(['help', 'where-is-it'])).toMatchObject({
    exit: 0,
    stdout: expect.stringMatching(/^order-status/),
  });
});

describe('a page of docs/start is a job that works', () => {
  const scripted = (script: string) => (config: string) => {
    const yaml = config.replace('anthropic/claude-sonnet-5', 'priced');
    expect(yaml).not.toBe(config);
    const demo = 'providers: { demo: { kind: scripted, script: ./s.script.yaml } }';
    const priced = 'models: { priced: { use: demo/any, price: { input: 1, output: 1 } } }';
    return { config: `${yaml}${demo}\n${priced}\n`, script };
  };
  const job = (page: string, at: string, script: string, more: Readonly<Record<string, string>> = {}): Folder => {
    const files = own(`docs/start/${page}.md`);
    const played = scripted(script)(files[`${at}/cadre.yaml`] ?? '');
    return folder({ ...files, ...more, [`${at}/cadre.yaml`]: played.config, [`${at}/s.script.yaml`]: played.script });
  };
  const env = { SHOP_TOKEN: 'a-token-of-the-shop' };

  test.each([
    ['ci', 'agents'],
    ['api', 'desk'],
    ['repository', 'agents'],
    ['nightly-digest', 'digest'],
  ])('the files of %s.md pass the check', async (page, at) => {
    const made = folder({ ...own(`docs/start/${page}.md`), 'AGENTS.md': 'Use tabs.\n' });
    const { exit, stderr } = await made.cadre(['check', at], { env });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: expect.stringContaining('0 errors, 0 warnings') });
  });

  test('the review in CI is JSON on stdout, and nothing else is', async () => {
    const here = job('ci', 'agents', 'any: [{ report: { verdict: block, why: "a.ts, line 3" } }]\n');
    const ran = await here.cadre(['run', 'agents/reviewer.md', '-', '--quiet'], { input: '+ a line\n' });
    expect(JSON.parse(ran.stdout)).toEqual({ verdict: 'block', why: 'a.ts, line 3' });
    expect({ exit: ran.exit, stderr: ran.stderr }).toEqual({ exit: 0, stderr: '' });
  });

  test('the review in CI becomes a test that passes, although its budget caps what is asked', async () => {
    const here = job('ci', 'agents', 'any: [{ report: { verdict: pass, why: "it is fine" } }]\n');
    const saving = ['run', 'agents/reviewer.md', '-', '--save-test', 'agents/small.test.yaml'];
    expect((await here.cadre(saving, { input: '+ a line\n' })).exit).toBe(0);
    const tested = await here.cadre(['test', 'agents', '--junit', 'results.xml']);
    expect(tested.exit, tested.stdout).toBe(0);
    expect(here.read('results.xml')).toContain('tests="1"');
  });

  test('the front desk of the API sends a question on', async () => {
    const script =
      'agents: { front-desk: [{ call: { handoff-to: { agent: orders, message: "" } } }], orders: [{ answer: At sea. }] }\n';
    const ran = await job('api', 'desk', script).cadre(['run', 'desk/front-desk.md', 'Order 17?'], { env });
    expect(ran, ran.stderr).toMatchObject({ exit: 0, stdout: 'At sea.\n' });
  });

  test('the fixer changes a file until the command passes, and undo takes it back', async () => {
    const script = [
      'agents:',
      '  fixer:',
      '    - call: { edit_file: { path: src/sum.js, old_text: "a - b", new_text: "a + b" } }',
      '    - answer: It added.',
      '  reviewer: [{ answer: It is sound. }]\n',
    ].join('\n');
    const here = job('repository', 'agents', script, {
      'AGENTS.md': 'Use tabs.\n',
      'package.json': '{ "scripts": { "test": "grep -q \'a + b\' src/sum.js" } }\n',
      'src/sum.js': 'export const sum = (a, b) => a - b;\n',
    });
    const ran = await here.cadre(['run', 'agents/fixer.md', 'The tests fail.']);
    expect(ran, ran.stderr).toMatchObject({ exit: 0, stdout: 'It is sound.\n' });
    expect((await here.cadre(['show', 'last', '--changes'])).stdout).toContain('+export const sum = (a, b) => a + b;');
    expect((await here.cadre(['undo', 'last', '--dry-run'])).stdout).toContain('src/sum.js');
  });

  test('the digest has a letter for each reader and one page', async () => {
    const script = [
      'agents:',
      '  sorter: [{ report: { letters: [{ file: inbox/a.txt }, { file: inbox/b.txt }] } }]',
      '  reader: [{ answer: "Wants a berth." }]',
      '  editor: [{ answer: "{{input}}" }]\n',
    ].join('\n');
    const ran = await job('nightly-digest', 'digest', script).cadre(['run', 'digest/sorter.md', "Today's letters."]);
    expect(ran.exit, ran.stderr).toBe(0);
    expect(ran.stdout.match(/Wants a berth/g)).toHaveLength(2);
  });
});

/** Each fence of a page that begins with such a command, and what is printed below it. */
const printed = (page: string, command: RegExp) =>
  fencesIn(pageText(page))
    .map(({ code }) => /^\$ cadre (.*)\n([^]*)$/.exec(code))
    .filter((found) => found !== null && command.test(found[1] ?? ''))
    .map((found) => ({ line: found?.[1] ?? '', output: found?.[2] ?? '' }));

test.each(printed('docs/concepts/check.md', /^(check|graph) examples/))(
  'docs/concepts/check.md shows what cadre $line prints',
  async ({ line, output }) => {
    const here = folder({});
    symlinkSync(join(ROOT, 'examples'), join(here.path, 'examples'));
    const { stdout, stderr, exit } = await here.cadre(line.split(' '));
    expect({ exit, output: stdout + stderr }).toEqual({ exit: 0, output });
  },
);

test('docs/concepts/check.md shows the bound and a graph', () => {
  expect(printed('docs/concepts/check.md', /^(check|graph) examples/)).toHaveLength(2);
});

describe('docs/concepts/scripted-model.md', () => {
  const page = 'docs/concepts/scripted-model.md';
  const agent = (name: string) => ({ [`${name}.md`]: '---\ndescription: One.\ntools: [files]\n---\nWork.\n' });

  test('its first script answers with what is in the files', async () => {
    const shelf = { 'tea.md': 'Assam is strong.\n', 'coffee.md': 'Mocha is mild.\n' };
    const library = folder({ ...own(page), ...agent('librarian'), ...shelf });
    const { exit, stdout } = await library.cadre(['run', 'librarian', 'Compare the two.']);
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: expect.stringContaining('Mocha is mild.') });
  });

  test('its delays and faults are got over within the attempts of a turn', async () => {
    const script = fencesIn(pageText(page)).find(({ code }) => code.startsWith('pace:'))?.code ?? '';
    const station = folder({ ...own(page), 'demo.script.yaml': script, ...agent('weather') });
    const { exit, stdout, stderr } = await station.cadre(['run', 'weather', 'How is it?', '--verbose']);
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: 'At last.\n' });
    expect(stderr).not.toContain('unused script steps');
    const attempts = station.journal().filter(({ type }) => type === 'attempt');
    expect(attempts.map(({ fault }) => (fault as { code: string }).code)).toEqual([
      'model/rate-limit',
      'model/server',
      'model/network',
      'model/empty',
    ]);
  });
});

describe('docs/concepts/library.md', () => {
  const files = own('docs/concepts/library.md');

  test('its first program asks an example and lists its model calls', async () => {
    const clone = folder(files);
    for (const file of ['cadre.yaml', 'detective.md', 'lighthouse.script.yaml', 'log'])
      cpSync(join(ROOT, 'examples/lighthouse', file), join(clone.path, 'examples/lighthouse', file), {
        recursive: true,
      });
    const output = await node(clone, 'ask.mjs');
    expect(output).toContain('Nobody stole the oil');
    expect(output).toMatch(/^0\.1 \{/m);
    expect(await node(clone, 'history.mjs')).toMatch(/^identical\n\d+ undefined\n$/);
  });

  test('its schema of zod is told to the model, and its file of functions serves the command line', async () => {
    const desk = folder({
      ...files,
      'desk/desk.script.yaml':
        'agents: { host: [{ call: { hours: { day: monday } } }, { answer: "Open {{last}}." }] }\n',
    });
    mkdirSync(join(desk.path, 'node_modules'));
    symlinkSync(join(ROOT, 'node_modules/zod'), join(desk.path, 'node_modules/zod'));
    expect(await node(desk, 'range.mjs')).toBe("[ 'from' ]\n");
    expect(await desk.cadre(['check', 'desk'])).toMatchObject({ exit: 0, stdout: '' });
    expect(await desk.cadre(['run', 'desk/host.md', 'Monday?'])).toMatchObject({ exit: 0, stdout: 'Open 9 to 5.\n' });
  });

  test('its function is a tool of an agent, and the ledger counts the calls', async () => {
    const shop = folder({
      ...files,
      'shop/cadre.yaml':
        'providers: { demo: { kind: scripted, script: ./s.yaml } }\ndefaults: { models: [demo/any] }\n',
      'shop/s.yaml': 'agents: { clerk: [{ call: { stock: { article: lamp } } }, { answer: "{{last.left}} left." }] }\n',
    });
    const output = await node(shop, 'shop.mjs');
    expect(output).toContain("text: '3 left.'");
    expect(output).toContain('calls: 2');
  });
});

describe('docs/concepts/testing.md', () => {
  const files = own('docs/concepts/testing.md');

  test('its test passes', async () => {
    expect(await node(folder(files), '--test', '--test-reporter=tap')).toContain('# pass 1');
  });

  test.each([
    ['script.mjs', "[ 'clerk, line 1' ]\n"],
    ['texts.mjs', '1 1000\n'],
  ])('%s does what the page says', async (program, output) => {
    expect(await node(folder(files), program)).toBe(output);
  });

  test('it names everything that cadre/testing exports', async () => {
    const of = folder({
      'names.mjs': "import * as all from 'cadre/testing';\nconsole.log(Object.keys(all).join(' '));\n",
    });
    const names = (await node(of, 'names.mjs')).trim().split(' ');
    expect(names.filter((name) => !pageText('docs/concepts/testing.md').includes(`\`${name}\``))).toEqual([]);
  });
});

test('the program of docs/concepts/own-patterns.md prints what the page says', async () => {
  const page = 'docs/concepts/own-patterns.md';
  const printed = await node(folder(own(page)), 'second-opinion.mjs');
  expect(pageText(page)).toContain(`\`\`\`text\n${printed}\`\`\``);
  expect(printed).toContain('identical');
});

test('the files of docs/concepts/chat.md are the conversation that it shows, by a pipe and from a program', async () => {
  const files = own('docs/concepts/chat.md');
  const shop = folder(files);
  const [, line = ''] = /^printf '(.*)' \| cadre chat clerk$/m.exec(pageText('docs/concepts/chat.md')) ?? [];
  const answers = ['Order 17 leaves today.', 'You mean order 17: by Friday.'];
  const talked = await shop.cadre(['chat', 'clerk'], { input: line.replaceAll('\\n', '\n') });
  expect(talked, talked.stderr).toMatchObject({ exit: 0, stdout: `${answers.join('\n\n')}\n` });
  for (const answer of answers) expect(pageText('docs/concepts/chat.md')).toContain(`\n${answer}\n`);
  const program = await node(shop, 'talk.mjs');
  expect(program.split('\n').slice(0, 2)).toEqual(answers);
  expect(program).toContain("goes on with cadre.chat('clerk', { thread: 't");
});
