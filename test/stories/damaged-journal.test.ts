// A journal whose events lack fields: every command and every route that reads it says which event is damaged and the way
// out, a list goes on without it, and nothing is a defect.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OpEnd, RunEvent } from '../../src/journal/event.ts';
import { eventProblem } from '../../src/journal/event-shape.ts';
import { wholeEvents } from '../../src/journal/repeats/whole-texts.ts';
import { type Folder, folderWith, until } from '../support/cli.ts';
import { clientOf } from '../support/server.ts';

const TOKEN = 'a-token-of-the-tests-0001';
const SCRIPT = `agents:
  lead:
    - call: { write_file: { path: a.txt, content: hello } }
    - call: { list_files: {} }
    - answer: Done.
`;

let folder: Folder;
let run = '';
let file = '';
let whole: readonly RunEvent[] = [];

beforeEach(async () => {
  folder = folderWith({
    'cadre.yaml': 'providers: { demo: { kind: scripted, script: ./s.yaml } }\ndefaults: { models: [demo/any] }\n',
    's.yaml': SCRIPT,
    'lead.md': '---\ndescription: Leads.\ntools: [files, files:write]\n---\nYou lead.\n',
  });
  const ran = await folder.cadre(['run', 'lead', 'Go.', '--approve', 'files:write/write_file']);
  expect(ran.exit, ran.stderr).toBe(0);
  const runs = join(folder.path, '.cadre/runs');
  [run = ''] = readdirSync(runs);
  file = join(runs, run, 'events.jsonl');
  whole = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RunEvent);
});
afterEach(() => folder.remove());

/** Takes a field away from the first event of a type and kind, and returns the number of its line. */
function damage(type: RunEvent['type'], kind: string, path: string): number {
  const kindOf = (event: RunEvent): string =>
    event.type === 'op-start' ? event.op.kind : 'kind' in event ? event.kind : '';
  const index = whole.findIndex((event) => event.type === type && kindOf(event) === kind);
  const copy = structuredClone(whole[index]);
  const names = path.split('.');
  const last = names.pop() ?? '';
  const inner = names.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], copy);
  delete (inner as Record<string, unknown>)[last];
  return writeWith(index, copy as RunEvent);
}

/** Replaces one event, and returns the number of its line. */
function writeWith(index: number, copy: RunEvent): number {
  const lines = whole.map((event, at) => JSON.stringify(at === index ? copy : event));
  writeFileSync(file, `${lines.join('\n')}\n`);
  return index + 1;
}

const DAMAGES: readonly (readonly [RunEvent['type'], string, string])[] = [
  ['run-start', '', 'texts'],
  ['run-start', '', 'input.text'],
  ['op-start', 'model', 'op'],
  ['op-start', 'tool', 'op.call.name'],
  ['op-end', 'model', 'result'],
  ['op-end', 'model', 'result.value.spent'],
  ['op-end', 'tool', 'result.value'],
  ['op', 'preview', 'value'],
  ['intent', '', 'change'],
  ['fact', '', 'value'],
  ['run-end', '', 'outcome'],
];

/** Lets the first result of a tool name a text that is not there. */
function misname(): number {
  const index = whole.findIndex((event) => event.type === 'op-end' && event.kind === 'tool');
  const end = structuredClone(whole[index]) as OpEnd & { result: { value: { text: string } } };
  end.result.value.text = '';
  const repeats = { '/result/value/text': [{ event: 1, at: '/op/nowhere', from: 0, to: 100 }] };
  return writeWith(index, { ...end, repeats });
}

describe.each([
  ...DAMAGES.map(
    ([type, kind, path]) => [`a ${type} ${kind} without ${path}`, () => damage(type, kind, path)] as const,
  ),
  ['a text that is not where it should stand', misname] as const,
])('a journal with %s', (_, damaged) => {
  test('every command that reads the run names its line and the way out', async () => {
    const line = damaged();
    const commands = [
      ['show', run],
      ['show', run, '--tree'],
      ['show', run, '--transcript'],
      ['show', run, '--changes'],
      ['show', run, '--json'],
      ['replay', run],
      ['resume', run],
      ['fork', run, '--at', '0.1'],
      ['diff', run, run],
      ['undo', run],
    ];
    for (const command of commands) {
      const { exit, stderr } = await folder.cadre(command);
      expect([command.join(' '), exit], stderr).toEqual([command.join(' '), 1]);
      expect(stderr).toContain(`${file}:${line} cannot be read: \``);
      expect(stderr).toContain('Restore the file, or remove this line and all after it');
    }
  });

  test('lists go on', async () => {
    damaged();
    for (const command of [['runs'], ['runs', '--json'], ['approvals']]) {
      const { exit, stdout, stderr } = await folder.cadre(command);
      expect([exit, stderr], command.join(' ')).toEqual([0, expect.not.stringMatching(/defect|TypeError/)]);
      expect(stdout).not.toMatch(/NaN|undefined/);
    }
  });
});

test('every route that reads a damaged run answers with a problem that says where, and the lists go on', async () => {
  const line = damage('op-end', 'model', 'result');
  const child = folder.start(['serve', '.', '--port', '0', '--token', TOKEN]);
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (said += text));
  await until(() => /http:\/\/\S+:\d+/.test(said));
  const client = clientOf(/http:\/\/[^/\s]+:\d+/.exec(said)?.[0] ?? '', TOKEN);
  try {
    for (const path of ['/api/runs', '/api/approvals', '/readyz'])
      expect((await client.get(path)).status, path).toBe(200);
    const reading = ['', '/changes', '/fork?at=0.1', '/events', '/agents'].map((end) => `/api/runs/${run}${end}`);
    for (const path of [...reading, `/api/diff?a=${run}&b=${run}`]) {
      const { status, text } = await client.get(path);
      expect(text, path).not.toMatch(/defect|Cannot (?:read|destructure)/);
      if (status >= 400)
        expect([path, text]).toEqual([path, expect.stringContaining(`events.jsonl:${line} cannot be read`)]);
    }
    for (const path of ['replay', 'fork', 'undo', 'resume', 'test']) {
      const { status, text } = await client.post(`/api/runs/${run}/${path}`, {});
      expect(status, `${path} ${text}`).toBeGreaterThanOrEqual(400);
      expect(text, path).not.toMatch(/defect|Cannot (?:read|destructure)/);
    }
    expect((await client.get('/api/runs')).status).toBe(200);
  } finally {
    child.kill('SIGTERM');
  }
});

test('an event of a real run is whole, and one that lacks what readers rely on is not', () => {
  const events = wholeEvents(whole);
  for (const event of events) expect(eventProblem(event)).toBeUndefined();
  for (const event of events)
    for (const name of [
      'type',
      'seq',
      'at',
      ...(event.type === 'run-resume' ? [] : ['path', 'op', 'result', 'outcome']),
    ])
      if (name in event)
        expect(eventProblem({ ...event, [name]: undefined } as unknown as RunEvent)).toContain(`\`${name}\``);
});
