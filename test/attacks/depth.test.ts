// JSON nested by the thousand, at every entrance: it is refused where it comes in, with a fault of its own, and neither
// a sibling nor a later `resume` pays for it.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { loadCadre, tool } from '../../src/index.ts';
import { type Folder, folderWith } from '../support/cli.ts';
import { type ModelServer, modelServer, sse, type WireKind } from '../support/model-server.ts';

const DEEP = 3000;
const deepText = '['.repeat(DEEP) + ']'.repeat(DEEP);
const deepValue = JSON.parse(deepText) as unknown;
const TOO_DEEP = 'nested more than 100 levels deep';

const folders: Folder[] = [];
let server: ModelServer | undefined;
afterEach(async () => {
  for (const folder of folders.splice(0)) folder.remove();
  await server?.close();
  server = undefined;
});

function folderOf(files: Readonly<Record<string, string>>): Folder {
  const folder = folderWith(files);
  folders.push(folder);
  return folder;
}

const SCRIPTED = 'providers: { demo: { kind: scripted, script: ./s.yaml } }\ndefaults: { models: [demo/m] }\n';
const agent = (frontmatter: string): string => `---\ndescription: d\n${frontmatter}\n---\nYou work.\n`;

async function farCadre(kind: WireKind, agents: Readonly<Record<string, string>>): Promise<Folder> {
  const base = server?.base(kind) ?? '';
  return folderOf({
    'cadre.yaml': `providers: { far: { kind: ${kind}, baseUrl: "${base}", apiKey: "\${KEY}" } }\ndefaults: { models: [far/m] }\n`,
    ...agents,
  });
}

const KEY = { KEY: 'k-12345678901234567890' };

test.each(['anthropic', 'openai', 'openai-compatible', 'google'] as const)(
  'deep arguments of a tool call of %s are a malformed reply, which is tried again',
  async (kind) => {
    server = await modelServer((asked) => {
      const isFirst = server?.asked.length === 1;
      return isFirst && asked.kind === kind
        ? { call: { id: 'c1', name: 'list_files', input: { path: deepValue } } }
        : { text: 'done' };
    });
    const folder = await farCadre(kind, { 'clerk.md': agent('tools: [files]') });
    const { stdout, exit } = await folder.cadre(['run', 'clerk', 'go'], { env: KEY });
    expect([exit, stdout]).toEqual([0, 'done\n']);
    const attempts = folder.journal().filter(({ type }) => type === 'attempt');
    expect(attempts).toEqual([
      expect.objectContaining({ fault: expect.objectContaining({ code: 'model/malformed' }) as unknown }),
    ]);
    expect(JSON.stringify(attempts)).toMatch(/nested more than [12]00 levels deep/);
    expect((await folder.cadre(['replay'])).stdout).toMatch(/^identical: /);
  },
);

test('a deep final report of a child leaves its sibling and the run alone', async () => {
  server = await modelServer((asked, response) => {
    const { messages } = asked.body as { messages: { role: string; content: string }[] };
    const system = JSON.stringify(messages[0]);
    if (!system.includes('You lead')) {
      if (system.includes('You sink')) return { call: { id: 'c', name: 'final_report', input: { x: deepValue } } };
      return { call: { id: 'c', name: 'final_report', input: { x: 1 } } };
    }
    if (messages.some(({ role }) => role === 'tool')) return { text: 'the lead answers' };
    const both = ['sinker', 'swimmer'].map((name, index) => ({
      index,
      id: `call${index}`,
      type: 'function',
      function: { name: `agent__${name}`, arguments: '{"input":"go","reason":"r"}' },
    }));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const chunk = { id: '1', created: 1, model: 'm' };
    response.write(sse('openai-compatible', { ...chunk, choices: [{ index: 0, delta: { tool_calls: both } }] }));
    response.write(
      sse('openai-compatible', { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }),
    );
    response.end('data: [DONE]\n\n');
    return undefined;
  });
  const json = 'maxRetries: 1\noutput: { format: json, schema: { type: object } }';
  const folder = await farCadre('openai-compatible', {
    'lead.md': agent('agents: [sinker, swimmer]').replace('You work', 'You lead'),
    'sinker.md': agent(json).replace('You work', 'You sink'),
    'swimmer.md': agent(json).replace('You work', 'You swim'),
  });
  const { stdout, exit } = await folder.cadre(['run', 'lead', 'go'], { env: KEY });
  expect([exit, stdout]).toEqual([0, 'the lead answers\n']);
  const ends = folder.journal().filter((event) => event['type'] === 'op-end' && event['kind'] === 'run');
  const kinds = ends.map((event) => (event['result'] as { value: { kind: string } }).value.kind).sort();
  expect(kinds).toEqual(['answered', 'failed']);
  expect(JSON.stringify(ends)).toContain('model/malformed');
  expect((await folder.cadre(['replay'])).stdout).toMatch(/^identical: /);
});

test('a deep reply as text is no JSON answer, and the model is told', async () => {
  server = await modelServer(() => (server?.asked.length === 1 ? { text: `{"x":${deepText}}` } : { text: '{"x":1}' }));
  const folder = await farCadre('openai-compatible', {
    'clerk.md': agent('output: { format: json, schema: { type: object } }'),
  });
  const { stdout, exit } = await folder.cadre(['run', 'clerk', 'go'], { env: KEY });
  expect([exit, stdout.replace(/\s/g, '')]).toEqual([0, '{"x":1}']);
});

test.each(['argument', 'stdin'])('a deep input by %s is refused as an input', async (way) => {
  const folder = folderOf({
    'cadre.yaml': SCRIPTED,
    's.yaml': 'agents: { clerk: [{ answer: done }] }\n',
    'clerk.md': agent('input: { format: json, schema: { type: object } }'),
  });
  const text = `{"x":${deepText}}`;
  const { exit, stderr } =
    way === 'stdin'
      ? await folder.cadre(['run', 'clerk', '-'], { input: text })
      : await folder.cadre(['run', 'clerk', text]);
  expect([exit, stderr]).toEqual([1, expect.stringContaining(TOO_DEEP)]);
  expect(stderr).toContain('clerk expects JSON, but the input is nested');
});

test('a deep input and a deep result of a function are refused in the library', async () => {
  const folder = folderOf({
    'cadre.yaml': SCRIPTED,
    's.yaml': JSON.stringify({ agents: { clerk: [{ call: { dig: {} } }, { answer: '{{last}}' }] } }),
    'clerk.md': agent('tools: [dig]\ninput: { format: json, schema: { type: object } }'),
  });
  const dig = tool({ name: 'dig', description: 'd', parameters: { type: 'object' }, run: () => deepValue });
  const cadre = await loadCadre(folder.path, { tools: [dig] });
  try {
    await expect(async () => (await cadre.run('clerk', { x: deepValue })).outcome()).rejects.toMatchObject({
      fault: { code: 'input/invalid', message: expect.stringContaining(TOO_DEEP) as string },
    });
    const handle = await cadre.run('clerk', { x: 1 });
    expect(await handle.outcome()).toMatchObject({
      kind: 'answered',
      text: expect.stringContaining(TOO_DEEP) as string,
    });
  } finally {
    await cadre.close();
  }
});

test('deep arguments in a script are a mistake in the script, with its place', async () => {
  const folder = folderOf({
    'cadre.yaml': SCRIPTED,
    's.yaml': `agents:\n  clerk:\n    - call: { list_files: { path: ${deepText} } }\n`,
    'clerk.md': agent('tools: [files]'),
  });
  const { exit, stderr } = await folder.cadre(['run', 'clerk', 'go']);
  expect([exit, stderr]).toEqual([1, expect.stringMatching(/s\.yaml:3:\d+ the YAML is nested too deeply/)]);
});

test('a journal with a deep value is corrupt, and says where, for every command that reads it', async () => {
  const folder = folderOf({
    'cadre.yaml': SCRIPTED,
    's.yaml': 'agents: { clerk: [{ answer: done }] }\n',
    'clerk.md': agent('maxTurns: 3'),
  });
  await folder.cadre(['run', 'clerk', 'go']);
  const runs = join(folder.path, '.cadre/runs');
  const file = join(runs, readdirSync(runs)[0] as string, 'events.jsonl');
  const lines = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, `${lines[0]}\n{"seq":1,"at":1,"type":"fact","key":"k","value":${deepText}}\n`);
  for (const command of [['show'], ['replay'], ['resume', 'last'], ['runs']]) {
    const { stderr, stdout, exit } = await folder.cadre(command);
    expect(stderr + stdout).not.toMatch(/call stack|defect/);
    if (command[0] !== 'runs')
      expect([exit, stderr]).toEqual([1, expect.stringMatching(/events\.jsonl:2 .* nested more than 200/)]);
  }
});

test('a recording with a deep value is not played back', async () => {
  const folder = folderOf({
    'cadre.yaml':
      'providers:\n  demo: { kind: scripted, script: ./s.yaml }\n' +
      '  tape: { kind: recorded, wraps: demo, recording: ./tape.jsonl }\ndefaults: { models: [tape/m] }\n',
    's.yaml': 'agents: { clerk: [{ answer: done }] }\n',
    'tape.jsonl': `{"take":${deepText}}\n`,
    'clerk.md': agent('maxTurns: 3'),
  });
  const { exit, stderr } = await folder.cadre(['run', 'clerk', 'go']);
  expect(exit).toBe(1);
  expect(stderr).toMatch(/tape\.jsonl:1 is not a line of a recording: it is nested more than 200 levels deep/);
});

test('a value within the depth is taken as before', async () => {
  server = await modelServer(() =>
    server?.asked.length === 1
      ? {
          call: {
            id: 'c1',
            name: 'list_files',
            input: { path: '.', x: JSON.parse('['.repeat(90) + ']'.repeat(90)) as unknown },
          },
        }
      : { text: 'done' },
  );
  const folder = await farCadre('google', { 'clerk.md': agent('tools: [files]') });
  const { exit } = await folder.cadre(['run', 'clerk', 'go'], { env: KEY });
  expect(exit).toBe(0);
  expect(folder.journal().filter(({ type }) => type === 'attempt')).toEqual([]);
});
