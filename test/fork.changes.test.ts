// A fork with another text, other models or another budget, for itself alone: by the library, the command line and the
// server. It is pinned, replays, is resumed and forked again with them, and no file of the folder changes.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { ForkChanges } from '../src/engine/history/fork-changes.ts';
import { type Cadre, loadCadre, type RunEvent } from '../src/index.ts';
import { cli } from './crash/support/cli.ts';
import { type Folder, folderWith } from './support/cli.ts';
import { servedFolder } from './support/server.ts';

const CALL = '{ call: { agent__writer: { input: write, reason: r } } }';
const FILES = {
  'cadre.yaml': `variables: { tone: dry }
providers:
  s: { kind: scripted, script: s.script.yaml }
  t: { kind: scripted, script: t.script.yaml }
models:
  dear: { use: s/dear, price: { input: 10, output: 10 } }
  cheap: { use: t/cheap, price: { input: 1, output: 1 } }
`,
  'lead.md': '---\ndescription: Leads.\nmodel: dear\nagents: [writer]\nbudget:\n  usd: 1 # enough\n---\nYou lead.\n',
  'writer.md': '---\ndescription: Writes.\nmodel: dear\n---\nYou write {{tone}} texts.\n',
  's.script.yaml': `agents: { lead: [${CALL}, { answer: "{{last}}" }], writer: [{ answer: long }] }\n`,
  't.script.yaml': `agents: { lead: [${CALL}, { answer: "{{last}}" }], writer: [{ answer: short }] }\n`,
};
const WRITER = '0.2.1';

const opened: { readonly folder: Folder; readonly cadre: Cadre }[] = [];
afterEach(async () => {
  for (const { folder, cadre } of opened.splice(0)) {
    await cadre.close();
    folder.remove();
  }
});

async function begun(): Promise<{ readonly folder: Folder; readonly cadre: Cadre; readonly run: string }> {
  const folder = folderWith(FILES);
  const cadre = await loadCadre(folder.path);
  opened.push({ folder, cadre });
  const handle = await cadre.run('lead', 'go');
  expect(await handle.outcome()).toMatchObject({ kind: 'answered' });
  return { folder, cadre, run: handle.run };
}

async function eventsOf(cadre: Cadre, run: string): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of cadre.store.read(run)) events.push(event);
  return events;
}

/** The models of each request, and its prompt where it was sent. */
async function requests(cadre: Cadre, run: string) {
  return (await eventsOf(cadre, run)).flatMap((event) =>
    event.type === 'op-start' && event.op.kind === 'model'
      ? [{ agent: event.op.agent, models: event.op.models, system: event.op.system }]
      : [],
  );
}

const MATRIX: readonly (readonly [
  string,
  ForkChanges,
  { readonly writer: object; readonly lead: object; edited?: string[] },
])[] = [
  [
    'a text of one agent, whose variables are filled in',
    { prompts: { writer: 'You write {{tone}} and short texts.' } },
    {
      writer: { models: ['dear'], system: 'You write dry and short texts.' },
      lead: { models: ['dear'] },
      edited: ['writer.md'],
    },
  ],
  [
    'a copy of its file, with the frontmatter that it has',
    { prompts: { agent__writer: FILES['writer.md'].replace('texts', 'notes') } },
    { writer: { system: 'You write dry notes.' }, lead: { models: ['dear'] }, edited: ['writer.md'] },
  ],
  [
    'a model for one agent',
    { models: { writer: ['cheap'] } },
    { writer: { models: ['cheap'] }, lead: { models: ['dear'] } },
  ],
  ['a model for all', { models: ['cheap'] }, { writer: { models: ['cheap'] }, lead: { models: ['cheap'] } }],
  [
    'a model for one, and another for all others',
    { models: { writer: ['cheap', 'dear'], '*': ['t/free'] }, budget: { usd: 2, allowUnpriced: true } },
    { writer: { models: ['cheap', 'dear'] }, lead: { models: ['t/free'] }, edited: ['lead.md'] },
  ],
  [
    'all three at once',
    { prompts: { writer: 'Short.' }, models: { writer: ['cheap'] }, budget: { usd: 0.5, time: '10m' } },
    { writer: { models: ['cheap'], system: 'Short.' }, lead: { models: ['dear'] }, edited: ['lead.md', 'writer.md'] },
  ],
];

test.each(MATRIX)('%s', async (_, changes, { writer, lead, edited }) => {
  const { folder, cadre, run } = await begun();
  const fork = await cadre.fork(run, WRITER, changes);
  expect(await fork.outcome()).toMatchObject({ kind: 'answered' });
  const [, second, third] = await requests(cadre, fork.run);
  expect(second).toMatchObject({ agent: 'writer', ...writer });
  expect(third).toMatchObject({ agent: 'lead', ...lead });
  const [start] = await eventsOf(cadre, fork.run);
  expect(start).toMatchObject({ forkedFrom: { run, at: WRITER } });
  expect(start?.type === 'run-start' ? start.forkedFrom?.edited : []).toEqual(edited);
  for (const pinned of [false, true]) {
    expect(await cadre.replay(fork.run, { pinned })).toMatchObject({ result: { kind: 'identical' }, changed: [] });
  }
  expect(folder.read('writer.md')).toBe(FILES['writer.md']);
  expect(folder.read('lead.md')).toBe(FILES['lead.md']);
});

test('a fork of such a fork keeps what the first one changed, unless it says otherwise', async () => {
  const { cadre, run } = await begun();
  const first = await cadre.fork(run, WRITER, { prompts: { writer: 'Short.' }, models: { writer: ['cheap'] } });
  await first.outcome();
  const second = await cadre.fork(first.run, WRITER, { models: { lead: ['cheap'] }, budget: { tokens: 50_000 } });
  expect(await second.outcome()).toMatchObject({ kind: 'answered' });
  const [, writer, lead] = await requests(cadre, second.run);
  expect(writer).toMatchObject({ models: ['cheap'], system: 'Short.' });
  expect(lead).toMatchObject({ models: ['cheap'] });
  const [start] = await eventsOf(cadre, second.run);
  expect(start).toMatchObject({ forkedFrom: { edited: ['writer.md', 'lead.md'] } });
  expect((await cadre.replay(second.run)).result.kind).toBe('identical');
});

test('the budget of the fork counts what the run had spent before', async () => {
  const { cadre, run } = await begun();
  const fork = await cadre.fork(run, WRITER, { budget: { usd: 0.000_001 } });
  expect(await fork.outcome()).toMatchObject({ kind: 'over-budget' });
});

test.each<readonly [string, ForkChanges, string]>([
  ['an agent that is not there', { prompts: { wirter: 'Short.' } }, 'Did you mean "writer"?'],
  ['an agent that is not there, with a model', { models: { wirter: ['cheap'] } }, 'Did you mean "writer"?'],
  ['a model that is not known', { models: { writer: ['nowhere/y'] } }, 'needs a provider "nowhere"'],
  ['an empty text', { prompts: { writer: ' \n' } }, 'The new text of writer is empty.'],
  ['the file of another agent', { prompts: { writer: FILES['lead.md'] } }, 'not the one of its file'],
  ['a variable that has no value', { prompts: { writer: 'You are {{who}}.' } }, 'who'],
  ['a budget of nothing', { budget: { usd: 0 } }, '`budget.usd` is 0'],
  ['a time that is none', { budget: { time: 'soon' } }, 'budget.time'],
])('%s is refused, and nothing is left behind', async (_, changes, text) => {
  const { cadre, run } = await begun();
  await expect(cadre.fork(run, WRITER, changes)).rejects.toThrow(text);
  expect(await cadre.store.list()).toHaveLength(1);
});

test('the command line takes texts from files, and says what was changed', async () => {
  const { folder, run } = await begun();
  const command = (...words: readonly string[]) => cli([...words, '--store', join(folder.path, '.cadre')]);
  const fork = (...words: readonly string[]) => command('fork', run, '--at', WRITER, ...words);
  const text = join(folder.path, 'new.txt');
  writeFileSync(text, 'Short.\n');
  const forked = await fork('--prompt', `writer=${text}`, '--model', 'writer=cheap', '--budget', 'usd=0.5,time=10m');
  expect(forked).toMatchObject({ code: 0 });
  expect(forked.stdout).toContain('short');
  const shown = await command('show', 'last');
  expect(shown.stdout).toMatch(/forked .*, with cheap for writer, changed for it alone: lead.md, writer.md/);
  expect((await command('replay', 'last')).stdout).toContain('identical');
  for (const [words, error] of [
    [['--prompt', 'new.txt'], '--prompt takes an agent and a file, as in --prompt writer=new.md, and not "new.txt".'],
    [['--prompt', 'writer=gone.md'], '--prompt writer=gone.md cannot be read'],
    [['--prompt', `writer=${text}`, '--prompt', `writer=${text}`], '--prompt names writer twice.'],
    [['--model', 'writer='], '--model takes a model, or an agent and a model'],
    [['--budget', 'eur=1'], '--budget takes usd, tokens, time'],
    [['--budget', 'usd=much'], '--budget usd=much: usd takes a number.'],
  ] as const) {
    const refused = await fork(...words);
    expect(refused.code, words.join(' ')).toBe(2);
    expect(refused.stderr).toContain(error);
  }
});

test('the server takes the same, and refuses what it does not know', async () => {
  const served = await servedFolder(FILES);
  try {
    const { body: first } = await served.ask('POST', '/api/runs?wait=30s', { agent: 'lead', input: 'go' });
    const fork = (body: object) => served.ask('POST', `/api/runs/${first.run}/fork`, { at: WRITER, ...body });
    const changes = { prompts: { writer: 'Short.' }, models: { writer: ['cheap'] }, budget: { usd: 0.5 } };
    const { status, body } = await fork(changes);
    expect([status, Object.keys(body).sort()]).toEqual([202, ['events', 'run']]);
    await expect.poll(async () => (await served.get(`/api/runs/${body.run}/summary`)).body.state).toBe('ended');
    expect((await fork({ prompts: { nobody: 'x' } })).body.code).toBe('agent/unknown');
    expect((await fork({ budget: { usd: -1 } })).status).toBe(400);
    expect((await fork({ budget: { eur: 1 } })).status).toBe(400);
    expect((await fork({ models: { writer: 'cheap' } })).status).toBe(400);
  } finally {
    await served.remove();
  }
});
