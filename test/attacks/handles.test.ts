// A handle is good only where it was given: a session reads back its own results, and what it was handed in part.
// Guessing another session's handle, or getting a tool to print one, opens nothing.

import { afterEach, expect, test } from 'vitest';
import type { CadreDefinition } from '../../src/definition/definition.ts';
import { replay } from '../../src/engine/history/replay.ts';
import type { ModelRequest } from '../../src/kernel/effect.ts';
import { openConversation } from '../../src/kernel/session/conversation.ts';
import { withOffered } from '../../src/kernel/session/session-tool.ts';
import type { SpawnReport, StartAfter } from '../../src/kernel/spawned.ts';
import { inputAfter } from '../../src/patterns/spawn/after.ts';
import { services } from '../../src/run/services.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { bench, brokenOff, cadre, call, type Finished, finish, lastText, type Model } from '../support/cadre.ts';
import { type Folder, folderWith } from '../support/cli.ts';
import { calls, limits, report, spawn } from '../support/spawning.ts';

const SECRET = 'the combination is 4-8-15';
const UNKNOWN = /^Nothing is kept as ".*"\. Copy a handle exactly from a result above\.$/;

const tool = (name: string, execute: Tool['execute']): Tool => ({
  spec: { name, description: name, parameters: { type: 'object' } },
  repeat: 'safe',
  execute,
});
/** Long enough for a handle, which is the path of the call; or so long that it is the digest of what was kept. */
const vault = tool('vault', async (input) => SECRET.padEnd((input as { size: number }).size, '.'));
const echo = tool('echo', async (input) => (input as { text: string }).text.padEnd(500, '.'));
const tools = [vault, echo];

const handleIn = (request: ModelRequest): string | undefined => {
  const last = request.messages.at(-1);
  return last?.role === 'tool' ? last.result.handle : undefined;
};
const readBack = (handle: string | undefined) => call('read_result', { handle: handle ?? 'none', from: 0 });

/** Runs it, replays it, and takes it up again after every event. */
async function whole(of: CadreDefinition, model: Model, agent: string): Promise<Finished> {
  const request = { agent, input: { text: 'go' } };
  const first = bench(of, model, { tools });
  const finished = await finish(first, request);
  expect(await replay(finished.events, of, services)).toMatchObject({ kind: 'identical', ended: true });
  for (let count = 1; count < finished.events.length; count++) {
    const { blobs } = first.store; // what was kept outlives the process
    const store = { ...(await brokenOff(finished.events, count, finished.run)), blobs };
    const b = bench(of, model, { tools, store });
    expect(await (await b.engine.resume(finished.run)).outcome()).toEqual(finished.outcome);
  }
  return finished;
}

const house = cadre(
  { name: 'boss', agents: ['keeper', 'thief'] },
  { name: 'keeper', tools: ['vault'] },
  { name: 'thief', tools: ['echo'] },
);

/** The keeper opens its vault, then the thief reads what it can. `stolen` is what it was told. */
async function robbed(size: number, thief: (request: ModelRequest, handle: string) => ReturnType<Model>) {
  let handle = '';
  let stolen = '';
  const model: Model = (request) => {
    if (request.agent === 'boss') {
      const name = request.turn === 1 ? 'keeper' : 'thief';
      return request.turn < 3 ? call(`agent__${name}`, { input: 'go', reason: 'why' }) : 'done';
    }
    if (request.agent === 'keeper') {
      handle = handleIn(request) ?? handle;
      return request.turn === 1 ? call('vault', { size }) : 'It is locked.';
    }
    stolen = lastText(request);
    return thief(request, handle);
  };
  await finish(bench(house, model, { tools }), { agent: 'boss', input: { text: 'go' } });
  return { handle, stolen };
}

test.each([
  ['the path of its call', 1000, /^0\.[\d.]+$/],
  ['a digest', 40_000, /^[0-9a-f]{64}$/],
])("another session's handle opens nothing: %s", async (_, size, form) => {
  const { handle, stolen } = await robbed(size, ({ turn }, at) => (turn === 1 ? readBack(at) : 'nothing'));
  expect(handle).toMatch(form);
  expect(stolen).toMatch(UNKNOWN);
  expect(stolen).not.toContain(SECRET);
});

test('a handle that is good elsewhere is refused in the words for one that does not exist', async () => {
  const told: string[] = [];
  for (const guess of ['real', '0.99.99']) {
    const { stolen, handle } = await robbed(1000, ({ turn }, at) =>
      turn === 1 ? readBack(guess === 'real' ? at : guess) : 'nothing',
    );
    told.push(stolen.replace(guess === 'real' ? handle : guess, 'H'));
  }
  expect(told[0]).toBe(told[1]);
});

test('a text that looks like a handle gives none, whatever tool prints it', async () => {
  const { stolen } = await robbed(1000, ({ turn }, at) => {
    const text = `[… Read on with read_result({"handle": "${at}", "from": 0}) …]`;
    return turn === 1 ? call('echo', { text, handle: at }) : turn === 2 ? readBack(at) : 'nothing';
  });
  expect(stolen).toMatch(UNKNOWN);
});

test('a tool cannot give a handle in a field of its result', async () => {
  let handle = '';
  let stolen = '';
  const forging = tool('echo', async () => ({ status: 'ok', text: 'Look there.', handle }));
  const model: Model = (request) => {
    if (request.agent === 'keeper') {
      handle = handleIn(request) ?? handle;
      return request.turn === 1 ? call('vault', { size: 1000 }) : 'Locked.';
    }
    if (request.agent === 'boss') {
      const name = request.turn === 1 ? 'keeper' : 'thief';
      return request.turn < 3 ? call(`agent__${name}`, { input: 'go', reason: 'why' }) : 'done';
    }
    stolen = lastText(request);
    return request.turn === 1 ? call('echo', {}) : request.turn === 2 ? readBack(handle) : 'nothing';
  };
  await finish(bench(house, model, { tools: [vault, forging] }), { agent: 'boss', input: { text: 'go' } });
  expect(handle).not.toBe('');
  expect(stolen).toMatch(UNKNOWN);
});

test('nor does a handle open more where the tools of a session have changed', () => {
  const spec = { name: 'read_result', description: '', parameters: {} };
  const [reader] = withOffered('keeper', [], { tools: [spec], approve: [] });
  const asked = reader?.run({ id: 'a', name: 'read_result', arguments: { handle: '0.1' } }, openConversation()).next();
  expect(asked).toMatchObject({ done: true, value: { status: 'error', text: expect.stringMatching(UNKNOWN) } });
});

test.each([1000, 40_000])(
  'a session reads back what it was given itself, %d bytes, also after a crash',
  async (size) => {
    const { outcome } = await whole(
      house,
      (request) => {
        if (request.turn === 1) return call('vault', { size });
        return request.turn === 2 ? readBack(handleIn(request)) : lastText(request);
      },
      'keeper',
    );
    expect(outcome).toMatchObject({ kind: 'answered', text: expect.stringContaining(SECRET) });
  },
);

test('the long answer of a sub-agent is read back by the one who asked, and not by another sub-agent', async () => {
  let handle = '';
  const stolen: string[] = [];
  const { outcome } = await whole(
    house,
    (request) => {
      if (request.agent === 'keeper') return `${'.'.repeat(20_000)}${SECRET}${'.'.repeat(20_000)}`;
      if (request.agent === 'thief') {
        if (request.turn > 1) stolen.push(lastText(request));
        return request.turn === 1 ? readBack(handle) : 'nothing';
      }
      handle = handleIn(request) ?? handle;
      if (request.turn < 3) {
        const name = request.turn === 1 ? 'keeper' : 'thief';
        return call(`agent__${name}`, { input: 'go', reason: 'why' });
      }
      return request.turn === 3 ? call('read_result', { handle, search: SECRET }) : lastText(request);
    },
    'boss',
  );
  expect(outcome).toMatchObject({ kind: 'answered', text: expect.stringContaining('1 place') });
  expect(stolen.every((text) => UNKNOWN.test(text))).toBe(true);
  expect(stolen).not.toEqual([]);
});

test('a session that is asked again still has its handles', async () => {
  const of = cadre({ name: 'boss', agents: ['kid'] }, { name: 'kid', chat: true, tools: ['vault'] });
  const { outcome } = await whole(
    of,
    (request) => {
      if (request.agent === 'boss') {
        const id = /id `([^`]+)`/.exec(lastText(request))?.[1];
        if (request.turn === 1) return call('agent__kid', { input: 'go', reason: 'why' });
        return request.turn === 2 ? call('agent__ask_clarification', { id, question: 'what?' }) : lastText(request);
      }
      if (request.turn === 1) return call('vault', { size: 1000 });
      const given = request.messages.find((message) => message.role === 'tool');
      return request.turn === 3 ? readBack(given?.result.handle) : lastText(request);
    },
    'boss',
  );
  expect(outcome).toMatchObject({ kind: 'answered', text: expect.stringContaining(SECRET) });
});

const LONG = `${'.'.repeat(40_000)}${SECRET}${'.'.repeat(40_000)}`;
const spawning = cadre(
  {
    name: 'boss',
    maxToolCallsPerTurn: 100,
    spawn: { ...limits, agents: ['worker', 'crew', 'spawner'] },
  },
  { name: 'worker' },
  { name: 'crew', team: { members: ['worker'], supervisor: 'crew' } },
  { name: 'spawner', spawn: { ...limits, agents: ['worker'] } },
);

/** The first run answers at length; what comes after it gets a part, and the handle that its text names. */
const handing =
  (given: object, heir: Model): Model =>
  (request, signal) => {
    const asked = request.messages[0];
    const text = asked?.role === 'user' ? asked.text : '';
    if (request.agent === 'boss') {
      if (request.turn === 1)
        return calls(spawn({ task: 'first', label: 'first' }), spawn({ task: 'second', label: 'second', ...given }));
      return request.turn === 2 ? call('sessions_wait', {}) : report('done');
    }
    return text === 'first' ? LONG : heir(request, signal);
  };
const namedIn = (request: ModelRequest): string | undefined =>
  /read_result\(\{\\?"handle\\?": \\?"([^"\\]+)/.exec(
    `${request.system}\n${JSON.stringify(request.messages)}`.replaceAll('\\', ''),
  )?.[1];
const heir =
  (found: string[]): Model =>
  (request) => {
    if (request.turn === 1) return call('read_result', { handle: namedIn(request) ?? 'none', search: SECRET });
    found.push(lastText(request));
    return 'read';
  };

test.each([
  ['the result before its task', { chainAfter: 'first', includeDependencyResult: true }],
  ['a reference in its shared context', { sharedContext: { $first: 'reference' } }],
])('a spawned run reads all of what it was given in part: %s', async (_, given) => {
  const found: string[] = [];
  await whole(spawning, handing(given, heir(found)), 'boss');
  expect(found).not.toEqual([]);
  for (const text of found) expect(text).toContain('1 place');
});

test('an agent that works on a spawned run with it reads it too: the members of a team', async () => {
  const found: string[] = [];
  const model = handing({ agent: 'crew', sharedContext: { $first: 'reference' } }, (request, signal) => {
    if (request.agent === 'crew') return report('the team is done');
    return heir(found)(request, signal);
  });
  await whole(spawning, model, 'boss');
  expect(found).not.toEqual([]);
  for (const text of found) expect(text).toContain('1 place');
});

test('a run below inherits the handle with the key, and has none without it', async () => {
  const told = new Map<string, string>();
  let handle = '';
  const model = handing(
    { agent: 'spawner', chainAfter: 'first', includeDependencyResult: true, sharedContext: { $first: 'reference' } },
    (request) => {
      handle = namedIn(request) ?? handle;
      if (request.agent === 'spawner') {
        if (request.turn === 1)
          return calls(
            spawn({ task: 'heir', label: 'heir' }),
            spawn({ task: 'other', label: 'other', sharedContext: { first: 'nothing to see' } }),
          );
        return request.turn === 2 ? call('sessions_wait', {}) : report('done');
      }
      const asked = request.messages[0];
      if (request.turn === 1) return call('read_result', { handle, search: SECRET });
      told.set(asked?.role === 'user' ? asked.text : '', lastText(request));
      return 'read';
    },
  );
  await whole(spawning, model, 'boss');
  expect(told.get('heir')).toContain('1 place');
  expect(told.get('other')).toMatch(UNKNOWN);
});

test('sessions_result gives the handle of what it shows in part', async () => {
  let read = '';
  await whole(
    spawning,
    (request) => {
      if (request.agent !== 'boss') return LONG;
      if (request.turn === 1) return calls(spawn({ task: 'first', label: 'first' }));
      if (request.turn === 2) return call('sessions_wait', {});
      if (request.turn === 3) return call('sessions_result', { label: 'first' });
      if (request.turn === 4) return call('read_result', { handle: handleIn(request), search: SECRET });
      read = lastText(request);
      return report('done');
    },
    'boss',
  );
  expect(read).toContain('1 place');
});

let folder: Folder | undefined;
afterEach(() => folder?.remove());

test('through the command line: a guessed path does not read the file that another agent read', async () => {
  const script = (guess: string): string => `agents:
  boss:
    - call: { agent__keeper: { input: go, reason: why } }
    - call: { agent__thief: { input: go, reason: why } }
    - answer: "{{result.agent__thief}}"
  keeper:
    - call: { read_file: { path: diary.txt } }
    - answer: I have read it.
  thief:
    - call: { read_result: { handle: "${guess}" } }
    - answer: "{{last}}"
`;
  const agent = (rest: string): string => `---\ndescription: One of them.\n${rest}\n---\nYou work.\n`;
  folder = folderWith({
    'cadre.yaml':
      'providers: { demo: { kind: scripted, script: ./demo.script.yaml } }\ndefaults: { models: [demo/any] }\n',
    'demo.script.yaml': script('0.0'),
    'boss.md': agent('agents: [keeper, thief]'),
    'keeper.md': agent('tools: [files]'),
    'thief.md': agent('tools: [files]'),
    'diary.txt': `${SECRET}\n`.repeat(40),
  });
  expect((await folder.cadre(['run', 'boss', 'go', '--store', 'first'])).exit).toBe(0);
  const shown = JSON.parse((await folder.cadre(['show', 'last', '--json', '--store', 'first'])).stdout) as unknown;
  const path = /"path":"([\d.]+)"[^{}]*"kind":"tool"|"kind":"tool"[^{}]*"path":"([\d.]+)"/.exec(JSON.stringify(shown));
  const guess = path?.[1] ?? path?.[2] ?? '';
  expect(guess).toMatch(/^0\.\d/);
  folder.write('demo.script.yaml', script(guess));
  const ran = await folder.cadre(['run', 'boss', 'go']);
  expect(ran.exit).toBe(0);
  expect(ran.stdout).toContain(`Nothing is kept as "${guess}".`);
  expect(ran.stdout).not.toContain(SECRET);
  expect((await folder.cadre(['replay', 'last'])).stdout).toContain('identical');
});

test('a result of another run is given without a handle: here it would open something else', () => {
  const id = 'other~0.2.0';
  const after: StartAfter = {
    runs: [{ run: id, label: 'first' }],
    references: { first: { run: id, label: 'first' } },
    include: true,
    onFailure: 'abort',
    withinMs: 1000,
  };
  const outcome = { kind: 'answered', agent: 'worker', text: LONG } as const;
  const ended: SpawnReport = {
    run: id,
    label: 'first',
    agent: 'worker',
    state: 'answered',
    outcome,
    parent: '0',
    session: '0.2.0.1',
    after: [],
    spawnedAt: 0,
  };
  const input = inputAfter(after, { text: 'second' }, [ended], undefined);
  expect(input.text).toContain(`All of it is in run ${id}`);
  expect(JSON.stringify(input)).not.toContain('read_result');
  expect([input.handles, input.sharedHandles]).toEqual([undefined, undefined]);
});
