import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { faultOf } from '../../kernel/fault.ts';
import { type Caller, OWNER } from '../caller.ts';
import type { ServerContext } from '../context.ts';
import { planTests } from './test-request.ts';

const above = mkdtempSync(join(tmpdir(), 'cadre-test-request-'));
const folder = join(above, 'served');
afterAll(() => rmSync(above, { recursive: true, force: true }));

const put = (path: string, text: string): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};
const cases = (agent: string, more = ''): string => `agent: ${agent}\ncases: { it answers: { input: Hi${more} } }\n`;
const agent = (what: string): string => `---\ndescription: ${what}\n---\n${what}\n`;

put('cadre.yaml', 'providers: { demo: { kind: scripted, script: ./s.yaml } }\ndefaults: { models: [demo/any] }\n');
put('s.yaml', 'agents: { greeter: [{ answer: "Hello." }], payer: [{ answer: "Paid." }] }\n');
put('greeter.md', agent('Greets.'));
put('payer.md', agent('Pays.'));
put('greeter.test.yaml', cases('greeter'));
put('more/payer.test.yaml', cases('payer'));
put('judged/judged.test.yaml', cases('greeter', ', expect: { judge: { agent: payer, rubric: "Is it paid?" } }'));
put('empty/readme.txt', 'nothing');
put('notes.yaml', 'a: 1\n');
writeFileSync(join(above, 'outside.test.yaml'), cases('greeter'));
symlinkSync(above, join(folder, 'link'));
mkdirSync(`${folder}-beside`);

const served = (folders: readonly string[] = [folder]): ServerContext =>
  ({
    folder,
    cadres: { ofFolder: (one: string) => (folders.includes(one) ? { prefix: '' } : undefined) },
  }) as unknown as ServerContext;
const guest: Caller = { name: 'guest', may: new Set(['run']), agents: new Set(['greeter']) };

const refusal = async (
  asked: Parameters<typeof planTests>[0],
  caller: Caller = OWNER,
  context = served(),
): Promise<string> => {
  try {
    const { files } = await planTests(asked, caller, context);
    return `${files.length} files`;
  } catch (thrown) {
    const { code, message } = faultOf(thrown);
    return `${code}: ${message}`;
  }
};

test('places below the served folder are planned, each once, with their paths from it', async () => {
  const { choice, files, bound } = await planTests({ places: ['.', 'more', './more'], times: 2 }, OWNER, served());
  expect(choice).toEqual({ places: ['.', 'more'], models: [], live: true, alone: false, times: 2 });
  expect(files).toHaveLength(3);
  expect(bound.tries).toBe(6);
  expect(await refusal({ places: ['greeter.test.yaml'] })).toBe('1 files');
  expect(await refusal({ places: [folder] })).toBe('3 files');
});

test('a place that is none, or lies outside, also by a link, is refused by its number', async () => {
  for (const place of [
    '..',
    '../outside.test.yaml',
    '../served-beside',
    '/etc',
    'link',
    'nowhere',
    'notes.yaml',
    'a\0b',
  ])
    expect([place, await refusal({ places: ['.', place] })]).toEqual([
      place,
      expect.stringMatching(/^request\/invalid: \$\.places\[1\]: .* is no folder or test file below/),
    ]);
  expect(await refusal({ places: ['empty'] })).toContain('there are no tests in empty');
});

test('a model without a provider is refused before anything begins', async () => {
  expect(await refusal({ places: ['.'], models: ['demo/any', 'nobody/x'] })).toMatch(
    /^model\/unknown: \$\.models\[1\]: .*nobody/,
  );
});

test('a caller of some agents tests those alone, judges counted, and hears nothing of others', async () => {
  expect(await refusal({ places: ['greeter.test.yaml'] }, guest)).toBe('1 files');
  for (const place of ['more', 'judged'])
    expect([place, await refusal({ places: [place] }, guest)]).toEqual([
      place,
      'request/forbidden: The token "guest" may not use every agent that these tests ask.',
    ]);
  expect(await refusal({ places: ['greeter.test.yaml'] }, guest, served([]))).toContain('request/forbidden');
});

test('agents that are not served are no tests of this server, and mistakes in files are told to who may see them all', async () => {
  expect(await refusal({ places: ['.'] }, OWNER, served([]))).toMatch(/^request\/invalid: \$\.places: the agents of /);
  put('broken/broken.test.yaml', 'agent: greeter\ncases: { one: { inptu: x } }\n');
  expect(await refusal({ places: ['broken'] })).toContain('broken.test.yaml');
  expect(await refusal({ places: ['broken'] }, guest)).toBe(
    'config/invalid: The test files of these places have mistakes. See them with: cadre test --list',
  );
  rmSync(join(folder, 'broken'), { recursive: true });
});

test('more than a hundred thousand tries are refused', async () => {
  expect(await refusal({ places: ['greeter.test.yaml'], times: 100_000 })).toBe('1 files');
  expect(await refusal({ places: ['greeter.test.yaml'], times: 100_001 })).toContain(
    'at most 100000 are run at a time',
  );
});
