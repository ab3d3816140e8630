// A pattern that is written in this file alone, and handed to the library. No file of Cadre knows it, and yet it is
// checked, drawn, counted, run, shown and replayed like the others. And a strategy and a hook of a program, for teams.

import { afterEach, expect, test } from 'vitest';
import { boundsOf } from '../src/definition/check/bound.ts';
import { depthsOf } from '../src/definition/depth.ts';
import { graphMermaid } from '../src/definition/show/graph/source.ts';
import { graphSvg } from '../src/definition/show/graph/svg.ts';
import { graphText } from '../src/definition/show/graph/text.ts';
import { graphOf } from '../src/definition/show/graph.ts';
import {
  type BroadcastHook,
  type Cadre,
  type CadreOptions,
  isAnswered,
  ledger,
  loadCadre,
  type OpNode,
  opTree,
  outcomeOf,
  type Pattern,
  perform,
  type RunEvent,
  readCadre,
  sameRequest,
  settleMember,
  type TeamStrategy,
  tool,
  triggerOf,
} from '../src/index.ts';
import { type Folder, folderWith } from './support/cli.ts';

/** `echoTwice: {to: a}`: once the agent has answered, `a` is asked its request twice. The second answer is the result. */
const echoTwice: Pattern<{ readonly to: string; readonly aloud?: boolean }> = {
  key: 'echoTwice',
  keySpec: {
    form: {
      kind: 'keys',
      keys: {
        to: { form: { kind: 'agent', role: 'echo', gets: 'request' }, guidance: 'Who is asked.', required: true },
        aloud: { form: { kind: 'flag' }, guidance: 'Both answers, not the second alone.' },
      },
    },
    guidance: 'Asks an agent twice.',
    example: 'echoTwice: {to: other-agent}',
  },
  layer: 'last',
  triggers: { echo: { pattern: 'echoTwice', deepens: false, isHop: true, answers: true } },
  reserves: ['echo_now'],
  edges: ({ to }) => [{ to: to.trim(), role: 'echo', trigger: 'echo', label: 'echo × 2', isDashed: true, times: 2 }],
  wrap: ({ to, aloud }) =>
    function wrap(inner) {
      return function* (input) {
        const own = yield* inner(input);
        if (!isAnswered(own)) return own;
        const ask = () =>
          perform<'run'>({
            kind: 'run',
            agent: to,
            input: sameRequest(input.request),
            trigger: triggerOf(echoTwice, 'echo'),
          });
        const first = outcomeOf(yield* ask());
        const second = outcomeOf(yield* ask());
        if (aloud !== true || !isAnswered(first) || !isAnswered(second)) return second;
        return { ...second, text: `${first.text} ${second.text}` };
      };
    },
};

const CADRE_YAML =
  'providers: { demo: { kind: scripted, script: ./s.yaml } }\ndefaults: { models: [demo/x], maxTurns: 3 }\n';
const CANYON = {
  'cadre.yaml': CADRE_YAML,
  'caller.md': '---\ndescription: Calls.\nechoTwice: { to: wall, aloud: true }\n---\nCall.\n',
  'wall.md': '---\ndescription: Echoes.\n---\nEcho.\n',
  's.yaml': 'agents: { caller: [{ answer: "Hello!" }], wall: [{ answer: "…{{input}}" }] }\n',
};

const opened: { readonly folder: Folder; readonly cadre?: Cadre }[] = [];
afterEach(async () => {
  for (const { folder, cadre } of opened.splice(0)) {
    await cadre?.close();
    folder.remove();
  }
});

function folderOf(files: Readonly<Record<string, string>>): Folder {
  const folder = folderWith(files);
  opened.push({ folder });
  return folder;
}

async function open(files: Readonly<Record<string, string>>, options: CadreOptions): Promise<Cadre> {
  const folder = folderWith(files);
  const cadre = await loadCadre(folder.path, options);
  opened.push({ folder, cadre });
  return cadre;
}

async function ran(cadre: Cadre, agent: string, input: string) {
  const handle = await cadre.run(agent, input);
  const outcome = await handle.outcome();
  const events: RunEvent[] = [];
  for await (const event of cadre.store.read(handle.run)) events.push(event);
  return { run: handle.run, outcome, events };
}

const codesIn = async (files: Readonly<Record<string, string>>, patterns: readonly Pattern[]) =>
  (await readCadre(folderOf(files).path, { patterns })).diagnostics.map(({ code, line, message }) => ({
    code,
    line,
    message,
  }));

test('without the program its key is unknown, and with it the file is in order', async () => {
  expect(await codesIn(CANYON, [])).toMatchObject([{ code: 'key/unknown', line: 3 }]);
  expect(await codesIn(CANYON, [echoTwice])).toEqual([]);
});

test('the check finds what is wrong with its key and with whom it refers to', async () => {
  const caller = (key: string) => ({ ...CANYON, 'caller.md': `---\ndescription: Calls.\n${key}\n---\nCall.\n` });
  expect(await codesIn(caller('echoTwice: { too: wall }'), [echoTwice])).toMatchObject([
    { code: 'key/missing', message: '`echoTwice.to` is missing' },
    { code: 'key/unknown', message: 'unknown key "too" in `echoTwice`' },
  ]);
  expect(await codesIn(caller('echoTwice: { to: wal }'), [echoTwice])).toMatchObject([{ code: 'ref/unresolved' }]);
  expect(await codesIn(caller('echoTwice: { to: wall, aloud: 3 }'), [echoTwice])).toMatchObject([
    { code: 'value/type' },
  ]);
  expect(
    await codesIn({ ...CANYON, 'wall.md': '---\ndescription: Echoes.\nechoTwice: { to: caller }\n---\nEcho.\n' }, [
      echoTwice,
    ]),
  ).toMatchObject([{ code: 'graph/cycle', message: expect.stringContaining('caller → wall → caller') }]);
  expect(await codesIn({ ...CANYON, 'wall.md': '---\nmaxTurns: 2\n---\nEcho.\n' }, [echoTwice])).toMatchObject([
    { code: 'description/missing' },
  ]);
  const takesJson = '---\ndescription: Echoes.\ninput: { format: json }\n---\nEcho.\n';
  expect(await codesIn({ ...CANYON, 'wall.md': takesJson }, [echoTwice])).toMatchObject([
    { code: 'echoTwice/json-input', message: expect.stringContaining('as an echo of "caller"') },
    { code: 'echoTwice/json-input' },
  ]);
});

test('the graph draws it, the bound counts it, and it takes no level of its own', async () => {
  const { definition } = await open(CANYON, { patterns: [echoTwice], store: 'memory' });
  const graph = graphOf(definition);
  expect(graph.nodes.find(({ name }) => name === 'caller')?.patterns).toEqual(['echoTwice']);
  expect(graphText(graph)).toBe('caller\n└─ echo × 2 → wall');
  expect(graphMermaid(graph)).toContain('-.->|"echo × 2"|');
  expect(graphSvg(graph)).toContain('class="echoTwice"');
  // Three turns of the caller, and twice three of the wall.
  expect(boundsOf(definition.agents).get('caller')).toMatchObject({ kind: 'bounded', calls: 9n });
  expect(depthsOf(definition.agents, ['caller']).get('caller')?.depth).toBe(0);
});

test('it runs, the tree and the ledger show it without the program, and it replays', async () => {
  const cadre = await open(CANYON, { patterns: [echoTwice] });
  const { run, outcome, events } = await ran(cadre, 'caller', 'Hello?');
  expect(outcome).toMatchObject({ kind: 'answered', text: '…Hello? …Hello?' });
  const hops = runsIn(opTree(events));
  expect(hops).toMatchObject([
    { agent: 'wall', trigger: 'echo', pattern: 'echoTwice' },
    { agent: 'wall', trigger: 'echo', pattern: 'echoTwice' },
  ]);
  expect(ledger(events).answer).toMatchObject({ agent: 'wall' });
  expect(await cadre.replay(run)).toMatchObject({ result: { kind: 'identical', ended: true } });
  expect(await cadre.replay(run, { pinned: true })).toMatchObject({ result: { kind: 'identical', ended: true } });
});

test('a tool of the agent cannot have the name of a tool that it reserves', async () => {
  const echo = tool({ name: 'echo_now', description: 'Echoes.', parameters: { type: 'object' }, run: () => 'yes' });
  const files = { ...CANYON, 'caller.md': CANYON['caller.md'].replace('echoTwice', 'tools: [echo_now]\nechoTwice') };
  const cadre = await open(files, { patterns: [echoTwice], tools: [echo], store: 'memory' });
  await expect(cadre.run('caller', 'Hello?')).rejects.toThrow('echo_now');
});

test('a run that was broken off in it goes on where it was', async () => {
  const cadre = await open(CANYON, { patterns: [echoTwice] });
  const { run, events } = await ran(cadre, 'caller', 'Hello?');
  const second = events.filter((event) => event.type === 'op-start' && event.op.kind === 'run')[1];
  if (second?.type !== 'op-start') throw new Error('wall is asked twice');
  const handle = await cadre.fork(run, second.path);
  expect(await handle.outcome()).toMatchObject({ kind: 'answered', text: '…Hello? …Hello?' });
  expect(await cadre.replay(handle.run)).toMatchObject({ result: { kind: 'identical', ended: true } });
});

test('a pattern that would be taken for something else is refused before a file is read', async () => {
  const { path } = folderOf(CANYON);
  const refusal = async (patterns: readonly Pattern[]) => loadCadre(path, { patterns, store: 'memory' });
  await expect(refusal([{ ...echoTwice, key: 'next' }])).rejects.toThrow('agent files already have this key');
  await expect(refusal([echoTwice, echoTwice])).rejects.toThrow('agent files already have this key');
  await expect(refusal([{ ...echoTwice, key: 'Echo' }])).rejects.toThrow('a key is a lower-case letter');
  const { keySpec: _, ...unwritten } = echoTwice;
  await expect(refusal([unwritten as Pattern])).rejects.toThrow('Give it `keySpec`');
  const { echo } = echoTwice.triggers;
  await expect(refusal([{ ...echoTwice, triggers: { call: echo! } }])).rejects.toThrow(
    'the trigger "call" already exists',
  );
});

test('another process does not have it, so a run with it is not started there', async () => {
  const cadre = await open(CANYON, { patterns: [echoTwice] });
  await expect(cadre.spawn('caller', 'Hello?')).rejects.toThrow('the pattern "echoTwice" of caller');
});

const PANEL = {
  'cadre.yaml': CADRE_YAML,
  'lead.md': '---\ndescription: Leads.\nteam: { members: [ann, bob], supervisor: self }\n---\nLead.\n',
  'ann.md': '---\ndescription: Is Ann.\n---\nBe Ann.\n',
  'bob.md': '---\ndescription: Is Bob.\n---\nBe Bob.\n',
  's.yaml': `
agents:
  ann: [{ answer: "The code is 4711." }]
  bob:
    - when: { last: "Not sent" }
      answer: I keep it to myself.
    - when: { last: "The code is" }
      answer: I heard {{last}}
    - answer: Damn.
  lead: [{ report: "{{last}}" }]
`,
};

/** One after the other, so that each hears those before it. */
const inTurn: TeamStrategy = function* ({ team, wake, supervise }) {
  for (const member of team.active()) yield* settleMember(team, member.id, yield* wake(member));
  const outcome = yield* supervise();
  yield* team.cancelRemaining('The supervisor has reported.');
  return outcome;
};

/** Takes numbers out of what is said, and wants no swearing. */
const polite: BroadcastHook = ({ message }) => {
  if (message.includes('Damn')) return { refuse: 'No swearing here.' };
  return /\d/.test(message) ? { message: message.replace(/\d/g, '*') } : 'pass';
};

test('a program’s own strategy says who speaks when, and its runs replay in that program', async () => {
  const cadre = await open(PANEL, { strategy: inTurn });
  const { run, outcome } = await ran(cadre, 'lead', 'go');
  expect(outcome).toMatchObject({ kind: 'answered', text: expect.stringContaining('I heard') });
  expect(await cadre.replay(run)).toMatchObject({ result: { kind: 'identical', ended: true } });
  await expect(cadre.spawn('lead', 'go')).rejects.toThrow('the strategy of the team lead');
});

test('a program’s hook changes and refuses what is said to a team, and a replay does not ask it again', async () => {
  const asked: string[] = [];
  const onBroadcast: BroadcastHook = (saying, place) => {
    asked.push(`${saying.memberId} after ${place.transcript.length}: ${saying.message}`);
    return polite(saying, place);
  };
  const cadre = await open(PANEL, { onBroadcast });
  const { run, outcome, events } = await ran(cadre, 'lead', 'go');
  expect(outcome).toMatchObject({ kind: 'answered' });
  const heard = JSON.stringify(outcome);
  expect(heard).toContain('The code is ****.');
  expect(heard).toContain('I keep it to myself.');
  expect(heard).not.toContain('Damn');
  expect(asked.toSorted()).toEqual([
    'ann after 0: The code is 4711.',
    expect.stringMatching(/^bob after [01]: Damn\.$/),
    'bob after 1: I keep it to myself.',
  ]);
  expect(events.flatMap((event) => (event.type === 'op' && event.kind === 'post' ? [event.value] : []))).toContainEqual(
    expect.objectContaining({ number: 0, memberId: 'bob', refused: 'No swearing here.' }),
  );
  const before = asked.length;
  expect(await cadre.replay(run)).toMatchObject({ result: { kind: 'identical', ended: true } });
  expect(asked).toHaveLength(before);
});

test('a hook that throws, or gives back something else, refuses', async () => {
  for (const [onBroadcast, why] of [
    [thrower, 'The hook of the program failed: out of order'],
    [(() => undefined) as unknown as BroadcastHook, 'neither "pass" nor {message} nor {refuse}'],
  ] as const) {
    const cadre = await open(PANEL, { onBroadcast, store: 'memory' });
    const { events } = await ran(cadre, 'lead', 'go');
    const refused = events.flatMap((event) => (event.type === 'op' && event.kind === 'post' ? [event.value] : []));
    expect(refused).toContainEqual(expect.objectContaining({ refused: expect.stringContaining(why) }));
  }
});

const thrower: BroadcastHook = () => {
  throw new Error('out of order');
};

/** The runs within a run, from the first on. */
function runsIn({ children }: OpNode): readonly OpNode[] {
  return children.flatMap((child) => (child.kind === 'run' ? [child, ...runsIn(child)] : runsIn(child)));
}
