// One secret, planted everywhere it can come in. It must be nowhere in what is kept, shown or printed.

import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadCadre, tool } from '../src/index.ts';
import type { LiveEvent } from '../src/world/world.ts';
import { type Folder, folderWith, type Ran } from './support/cli.ts';

const SECRET = 'pl4nted-Secret & "value"+9';
const LITERAL = 'written-out-in-the-file-77';

const FORMS: readonly string[] = [
  SECRET,
  JSON.stringify(SECRET).slice(1, -1),
  encodeURIComponent(SECRET),
  Buffer.from(SECRET).toString('base64').slice(0, -4),
  Buffer.from(`user:${SECRET}`).toString('base64').slice(8, -4),
  'pl4nted',
  LITERAL,
];

const require = createRequire(import.meta.url);
const everything = join(
  dirname(require.resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist/index.js',
);
const yaml = (value: unknown): string => JSON.stringify(value);

let echo: Server;
let folder: Folder;

beforeAll(async () => {
  echo = createServer((request, response) => {
    const basic = Buffer.from(`user:${SECRET}`).toString('base64');
    response.end(JSON.stringify({ url: request.url, headers: request.headers, basic }));
  });
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  const { port } = echo.address() as AddressInfo;
  folder = folderWith({
    '.env': `PLANTED='${SECRET}'\nNODE_ENV=production\n`,
    'cadre.yaml': `providers:
  demo: { kind: scripted, script: demo.script.yaml }
  unused: { kind: openai, apiKey: ${LITERAL} }
defaults: { models: [demo/any], maxRetries: 2 }
mcpServers:
  everything: { command: ${yaml(process.execPath)}, args: [${yaml(everything)}], env: { PASSED_ON: "\${PLANTED}" }, allow: ["get-env"] }
restTools:
  ask: { description: Asks., url: "http://127.0.0.1:${port}/{what}", headers: { authorization: "Bearer \${PLANTED}" }, allowPrivate: true, input: { schema: { type: object, properties: { what: { type: string } }, required: [what] } } }
`,
    'keeper.md': `---
description: Keeps things.
tools: [files, mcp:everything, rest:ask]
---
You keep ${SECRET}, in production too. Ask the unused provider with ${LITERAL}.
`,
    'broken.md': `---
description: Breaks.
---
You break.
`,
    'demo.script.yaml': `agents:
  keeper:
    - fault: { status: 500, message: ${yaml(`server says ${SECRET}`)} }
      reasoning: ${yaml(`I was told ${SECRET}`)}
      say: ${yaml(`Looking for ${SECRET}.`)}
      calls:
        - get-env: {}
        - ask: { what: ${yaml(`about ${SECRET}`)} }
        - read_file: { path: leak.txt }
        - read_file: { path: long.txt }
        - read_file: { path: ${yaml(`no such ${SECRET}`)} }
    - answer: ${yaml(`The key is ${SECRET}, or ${Buffer.from(SECRET).toString('base64')}.`)}
  broken:
    - fault: { status: 400, message: ${yaml(`refused: ${SECRET} is bad`)} }
`,
    'leak.txt': `the secret: ${SECRET}\n`,
    'long.txt': `${'padding '.repeat(2660)}${SECRET}${' padding'.repeat(3000)}${SECRET}`,
  });
});

afterAll(() => {
  echo.close();
  folder.remove();
});

function expectClean(text: string, where: string): void {
  for (const form of FORMS) expect(text.includes(form), `${where} holds ${form}`).toBe(false);
}

/** Journals, summaries and blobs, each file whole. */
function kept(place: string): readonly string[] {
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
}

test('a planted secret is in no journal, blob, event, line of output or error of the command line', async () => {
  const env = { OTHER_API_KEY: LITERAL };
  const runs: Ran[] = [
    await folder.cadre(['run', 'keeper', `please use ${SECRET} and ${LITERAL}`], { env }),
    await folder.cadre(['run', 'keeper', '--json', `please use ${SECRET}`], { env }),
  ];
  for (const { exit, stdout, stderr } of runs) {
    expect(exit, stderr).toBe(0);
    expectClean(stdout, 'stdout');
    expectClean(stderr, 'stderr');
  }
  expect(runs[0]?.stdout).toBe('The key is [redacted:PLANTED], or [redacted:PLANTED].\n');
  const broken = await folder.cadre(['run', 'broken', 'go'], { env });
  expect(broken.exit).toBe(1);
  expect(broken.stderr).toContain('refused: [redacted:PLANTED] is bad');
  expectClean(broken.stdout + broken.stderr, 'a failed run');

  const files = kept(join(folder.path, '.cadre'));
  expect(files.length).toBeGreaterThan(6);
  for (const text of files) expectClean(text, 'the store');

  const journal = (runs[1]?.stdout ?? '')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const all = JSON.stringify(journal);
  expect(journal[0]).toMatchObject({ type: 'run-start', input: { text: 'please use [redacted:PLANTED]' } });
  const seen = [
    'You keep [redacted:PLANTED], in production too.',
    'server says [redacted:PLANTED]',
    'I was told [redacted:PLANTED]',
    'PASSED_ON\\": \\"[redacted:PLANTED]',
    'Bearer [redacted:PLANTED]',
    'the secret: [redacted:PLANTED]',
    'no such [redacted:PLANTED]',
  ];
  expect(seen.filter((text) => !all.includes(text))).toEqual([]);
  expect(journal.filter(({ type }) => type === 'attempt')).toHaveLength(1);

  for (const words of [['show'], ['show', '--transcript'], ['show', '--json'], ['runs', '--json']]) {
    const { stdout, stderr, exit } = await folder.cadre(words, { env });
    expect(exit, stderr).toBe(0);
    expectClean(stdout + stderr, words.join(' '));
  }
});

test('a redacted run replays exactly, with the files of today and with the pinned ones', async () => {
  for (const words of [['replay'], ['replay', '--pinned']]) {
    const { stdout, exit } = await folder.cadre([...words, 'last'], { env: { OTHER_API_KEY: LITERAL } });
    expect(stdout).toMatch(/^identical: \d+ events/);
    expect(exit).toBe(0);
  }
});

test('progress, deltas and thrown errors of functions are told without the secret', async () => {
  const leak = tool<Record<string, never>>({
    name: 'leak',
    description: 'Throws.',
    parameters: { type: 'object', properties: {} },
    repeat: 'safe',
    run: (_input, { progress }) => {
      progress(`on the way to ${SECRET}`);
      throw new Error(`cannot reach ${encodeURIComponent(SECRET)}`);
    },
  });
  const own = folderWith({
    '.env': `PLANTED='${SECRET}'\n`,
    'cadre.yaml': 'providers: { demo: { kind: scripted, script: d.yaml } }\ndefaults: { models: [demo/any] }\n',
    'a.md': '---\ntools: [leak]\n---\nYou leak.\n',
    'd.yaml': `pace: { chunk: 1ms }
agents:
  a:
    - { reasoning: ${yaml(`thinking of ${SECRET} again`)}, say: ${yaml(`saying ${SECRET} aloud`)}, call: leak }
    - answer: ${yaml(`It was {{last}} and ${SECRET}`)}
`,
  });
  const cadre = await loadCadre(own.path, { tools: [leak], store: 'memory' });
  try {
    const live: LiveEvent[] = [];
    const handle = await cadre.run('a', 'go');
    handle.watch({ live: (event) => void live.push(event) });
    await handle.send(`a message with ${SECRET}`);
    const outcome = await handle.outcome();
    const events = [];
    for await (const event of cadre.store.read(handle.run)) events.push(event);
    expectClean(JSON.stringify([events, live, outcome]), 'the run');
    expect(outcome).toMatchObject({
      kind: 'answered',
      text: 'It was cannot reach [redacted:PLANTED] and [redacted:PLANTED]',
    });
    expect(live.filter(({ type }) => type === 'progress')).toMatchObject([
      { text: 'on the way to [redacted:PLANTED]' },
    ]);
    const said = (type: string): string =>
      live.map((one) => (one.type === type && 'text' in one ? one.text : '')).join('');
    expect(said('text')).toContain('saying [redacted:PLANTED] aloud');
    expect(said('reasoning')).toContain('thinking of [redacted:PLANTED] again');
    expect(JSON.stringify(events)).toContain('a message with [redacted:PLANTED]');
  } finally {
    await cadre.close();
    own.remove();
  }
});

test('a run with a key that is written out in cadre.yaml finds it again when it is taken up', async () => {
  const { withSecretsOfToday } = await import('../src/secrets/redacted-cadre.ts');
  const own = folderWith({ 'cadre.yaml': 'providers:\n  a: { apiKey: my-key }\n  b: { x: 1 }\n' });
  const pinned = 'providers:\n  a: { apiKey: [redacted:providers.a.apiKey] }\n  b: { x: 1 }\n';
  expect(await withSecretsOfToday(pinned, own.path, 'cadre.yaml')).toBe(own.read('cadre.yaml'));
  own.write('cadre.yaml', 'providers:\n  a: { apiKey: my-key }\n  b: { x: 2 }\n');
  expect(await withSecretsOfToday(pinned, own.path, 'cadre.yaml')).toBe(pinned);
  own.remove();
});

test('a secret that was said before it was known as one is redacted in the history of the next message', async () => {
  const talk = folderWith({
    'cadre.yaml': 'providers: { demo: { kind: scripted, script: s.yaml } }\ndefaults: { models: [demo/any] }\n',
    's.yaml': 'agents:\n  ann:\n    - when: { history: use }\n      answer: "{{history}}"\n    - answer: Fine.\n',
    'ann.md': '---\ndescription: Is Ann.\n---\nYou are Ann.\n',
  });
  try {
    const first = await talk.cadre(['chat', 'ann'], { input: `please use ${SECRET}` });
    expect(first, first.stderr).toMatchObject({ exit: 0, stdout: 'Fine.\n' });
    const env = { LATER_API_KEY: SECRET };
    const second = await talk.cadre(['chat', 'ann', '--thread', 'last'], { input: 'and now?', env });
    expect(second.stdout).toBe('user: please use [redacted:LATER_API_KEY]\nassistant: Fine.\n');
    const shown = await talk.cadre(['runs', '--json', '--limit', '1'], { env });
    const [{ run = '' } = {}] = JSON.parse(shown.stdout) as { readonly run?: string }[];
    expectClean(readFileSync(join(talk.path, '.cadre/runs', run, 'events.jsonl'), 'utf8'), 'the second run');
  } finally {
    talk.remove();
  }
});

test('a secret in the description, the text or a file of a skill is in no prompt, record or view', async () => {
  const skilled = folderWith({
    'cadre.yaml': 'providers: { demo: { kind: scripted, script: s.yaml } }\ndefaults: { models: [demo/any] }\n',
    's.yaml':
      'agents:\n  ann:\n    - call: { use_skill: { name: knots } }\n    - call: { use_skill: { name: knots, file: notes.md } }\n    - answer: Tied.\n',
    'ann.md': '---\ndescription: Is Ann.\nskills: { use: true, preload: [knots] }\n---\nYou are Ann.\n',
    'skills/knots/SKILL.md': `---\nname: knots\ndescription: ${yaml(`Ties ${SECRET} up.`)}\n---\n\nSay ${SECRET} first.\n`,
    'skills/knots/notes.md': `Then ${SECRET} again.\n`,
  });
  try {
    const env = { LATER_API_KEY: SECRET };
    const ran = await skilled.cadre(['run', 'ann.md', 'Tie.'], { env });
    expect(ran, ran.stderr).toMatchObject({ exit: 0 });
    const shown = await skilled.cadre(['show', 'last', '--json'], { env });
    const [{ run = '' } = {}] = JSON.parse((await skilled.cadre(['runs', '--json'], { env })).stdout) as {
      run?: string;
    }[];
    const record = readFileSync(join(skilled.path, '.cadre/runs', run, 'events.jsonl'), 'utf8');
    expect(record).toContain('- knots: Ties [redacted:LATER_API_KEY] up.');
    expect(record).toContain('Say [redacted:LATER_API_KEY] first.');
    expect(record).toContain('Then [redacted:LATER_API_KEY] again.');
    for (const [text, what] of [
      [record, 'the record'],
      [shown.stdout, 'show --json'],
      [(await skilled.cadre(['show', 'last', '--transcript'], { env })).stdout, 'the transcript'],
      [(await skilled.cadre(['tools', 'ann'], { env })).stdout, 'cadre tools'],
      [(await skilled.cadre(['check'], { env })).stdout, 'cadre check'],
      [(await skilled.cadre(['show', '--prompt', 'ann'], { env })).stdout, 'show --prompt'],
    ] as const)
      expectClean(text, what);
  } finally {
    skilled.remove();
  }
});
