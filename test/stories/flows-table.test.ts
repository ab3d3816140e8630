// Branches, maps and loops in every place that an agent may have, cell by cell through the built command line: each is
// checked, and each that is allowed runs, answers and replays.

import { afterEach, describe, expect, test } from 'vitest';
import { type Folder, folderWith, type Ran } from '../support/cli.ts';

const CONFIG = `providers: { demo: { kind: scripted, script: ./demo.script.yaml } }
models: { fast: { use: demo/small } }
defaults: { models: [fast], maxRetries: 1 }
`;

const folders: Folder[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

interface Cadre {
  readonly agents: Readonly<Record<string, string>>;
  readonly script?: Readonly<Record<string, readonly unknown[]>>;
}

function written({ agents, script = {} }: Cadre): Folder {
  const files = Object.entries(agents).map(([name, keys]) => [
    `${name}.md`,
    `---\ndescription: Is ${name}\n${keys}\n---\nDo it.\n`,
  ]);
  const folder = folderWith({
    ...Object.fromEntries(files),
    'cadre.yaml': CONFIG,
    'demo.script.yaml': JSON.stringify({ agents: script }),
  });
  folders.push(folder);
  return folder;
}

interface Checked {
  readonly exit: number | null;
  /** `a.md next/by-open`, in their order. */
  readonly findings: readonly string[];
}

async function checked(folder: Folder): Promise<Checked> {
  const { exit, stdout } = await folder.cadre(['check']);
  const findings = [...stdout.matchAll(/^(\S+?):\d+:\d+ (?:error|warning) ([\w/-]+)/gm)];
  return { exit, findings: findings.map(([, file, code]) => `${file} ${code}`) };
}

/** The run, which is right in itself: it replays. */
async function played(folder: Folder, args: readonly string[] = []): Promise<Ran> {
  const ran = await folder.cadre(['run', 'top', 'Tides?', ...args]);
  expect((await folder.cadre(['replay', 'last'])).stdout, ran.stderr).toMatch(/^identical: \d+ events/);
  return ran;
}

const object = (properties: string, required: string): string =>
  `{schema: {type: object, properties: {${properties}}, required: [${required}]}}`;
const KINDS = `output: ${object('kind: {enum: [a, b]}', 'kind')}`;
const LIST = `output: ${object('list: {type: array, items: {type: string}}', 'list')}`;
const VERDICT = { good: true, why: 'It is fine.' };
const report = (answer: object) => ({ report: answer, repeat: true });
const says = (answer: string) => ({ answer, repeat: true });

interface Flow extends Cadre {
  /** The answer of the agent `x`. */
  readonly answer: string;
}

const LOOPING = {
  x: [{ when: { last: 'FEEDBACK, ROUND 2 OF 3' }, answer: 'second' }, says('first')],
  critic: [{ when: { input: 'second' }, report: VERDICT }, report({ good: false, why: 'More.' })],
};

const FLOWS: Readonly<Record<string, Flow>> = {
  branch: {
    agents: { x: `${KINDS}\nnext: {by: kind, to: {a: ada, b: bob}}`, ada: '', bob: '' },
    script: { x: [report({ kind: 'b' })], ada: [says('from ada')], bob: [says('from bob')] },
    answer: 'from bob',
  },
  'branch with ~': {
    agents: { x: `${KINDS}\nnext: {by: kind, to: {a: ada, b: ~}}`, ada: '' },
    script: { x: [report({ kind: 'b' })], ada: [says('from ada')] },
    answer: '{"kind":"b"}',
  },
  'map with join': {
    agents: { x: `${LIST}\nnext: {each: list, to: w, max: 3, join: j}`, w: '', j: '' },
    script: { x: [report({ list: ['ebb', 'flood'] })], w: [says('w of {{input}}')], j: [says('joined')] },
    answer: 'joined',
  },
  'map without join': {
    agents: { x: `${LIST}\nnext: {each: list, to: w, max: 3}`, w: '' },
    script: { x: [report({ list: ['ebb'] })], w: [says('w of {{input}}')] },
    answer: '{"items":[{"item":"ebb","outcome":"answered","answer":"w of ebb"}]}',
  },
  loop: { agents: { x: 'repeat: {until: critic, max: 3}', critic: '' }, script: LOOPING, answer: 'second' },
};

/** The agent `top`, which has the flow somewhere; its answer is what came of it. */
const PLACES: Readonly<Record<string, Cadre>> = {
  stage: { agents: { top: 'next: x' }, script: { top: [says('go')] } },
  'stage before another': {
    agents: { top: 'next: {sequence: [x, {to: echo}]}', echo: '' },
    script: { top: [says('go')], echo: [says('{{input}}')] },
  },
  item: {
    agents: { top: `${LIST}\nnext: {each: list, to: x, max: 2, join: echo}`, echo: '' },
    script: { top: [report({ list: ['one', 'two'] })], echo: [says('{{input}}')] },
  },
  'sub-agent': {
    agents: { top: 'agents: [x]' },
    script: { top: [{ call: { agent__x: { input: 'go', reason: 'r' } } }, says('{{last}}')] },
  },
  advisor: { agents: { top: 'advisors: [x]' }, script: { top: [says('{{input}}')] } },
  destination: {
    agents: { top: 'router: {destinations: [x]}' },
    script: { top: [{ call: { 'handoff-to': { agent: 'x' } } }] },
  },
  spawned: {
    agents: { top: 'spawn: {agents: [x]}' },
    script: {
      top: [
        { call: { sessions_spawn: { task: 'go', agent: 'x', label: 'one' } } },
        { call: { sessions_wait: { labels: ['one'], mode: 'all' } } },
        says('{{last}}'),
      ],
    },
  },
};

const joined = (...cadres: readonly Cadre[]): Cadre => ({
  agents: Object.assign({}, ...cadres.map(({ agents }) => agents)) as Cadre['agents'],
  script: Object.assign({}, ...cadres.map(({ script = {} }) => script)) as Required<Cadre>['script'],
});

/** JSON within a JSON text, or a quoted one, reads like JSON. */
const plain = (text: string): string => text.replaceAll('\\', '');

describe.each(Object.entries(FLOWS))('%s', (name, flow) => {
  test.each(Object.entries(PLACES))('as %s runs whole', async (_, place) => {
    const folder = written(joined(flow, place));
    expect(await checked(folder)).toEqual({ exit: 0, findings: [] });
    const ran = await played(folder);
    expect(ran.exit, ran.stderr).toBe(0);
    expect(plain(ran.stdout)).toContain(flow.answer);
    // Nothing of an answer that was not judged good goes on.
    expect(ran.stdout).not.toContain('first');
  });

  test('as a judge answers with the verdict of its terminal agent', async () => {
    const script = { ...flow.script, top: [says('an answer')] };
    for (const agent of ['ada', 'bob', 'j'])
      if (agent in flow.agents) Object.assign(script, { [agent]: [report(VERDICT)] });
    if (name === 'loop') Object.assign(script, { x: [report(VERDICT)], critic: [report(VERDICT)] });
    const folder = written({ agents: { ...flow.agents, top: 'repeat: {until: x, max: 2}' }, script });
    if (name === 'branch with ~' || name === 'map without join') {
      expect(await checked(folder)).toEqual({ exit: 1, findings: ['top.md chain/never-fits'] });
      return;
    }
    expect(await checked(folder)).toEqual({ exit: 0, findings: [] });
    expect(await played(folder)).toMatchObject({ exit: 0, stdout: 'an answer\n' });
  });

  test('is asked again', async () => {
    const footer = '/id `([^`]+)`/';
    const top = [
      { when: { turn: 1 }, call: { agent__x: { input: 'go', reason: 'r' } } },
      { when: { tool: 'agent__ask_clarification' }, answer: '{{last}}' },
      {
        when: { tool: 'agent__x', last: footer },
        call: { agent__ask_clarification: { id: '{{match.1}}', question: 'more?' } },
      },
      { when: { tool: 'agent__x' }, call: { agent__ask_clarification: { id: 'x@0.2', question: 'more?' } } },
    ];
    const chats = Object.entries(flow.agents).map(([agent, keys]) => [
      agent,
      keys === '' ? 'chat: true' : `${keys}\nchat: true`,
    ]);
    const script = { ...flow.script, top };
    const folder = written({ agents: { ...Object.fromEntries(chats), top: 'agents: [x]' }, script });
    const isMade = name === 'map without join';
    expect(await checked(folder)).toEqual({ exit: 0, findings: isMade ? ['x.md next/no-chat'] : [] });
    const ran = await played(folder);
    expect(ran.exit, ran.stderr).toBe(0);
    if (isMade) expect(ran.stdout).toContain('chat_disabled');
    else expect(ran.stdout).toMatch(/"status": ?"answered"/);
  });

  const team = (more: Readonly<Record<string, string>>): Checked | Promise<Checked> =>
    checked(written({ agents: { ...flow.agents, ...more } }));
  const REFUSED = { exit: 1, findings: ['top.md team/undefined-member'] };
  const FINE = { exit: 0, findings: [] };

  test('in a team', async () => {
    const { x = '' } = flow.agents;
    const seated = await team({ top: 'team: {members: [x], supervisor: self}' });
    // A join is a fixed last stage.
    expect(seated).toEqual(name === 'map with join' ? FINE : REFUSED);
    const supervised = { top: 'team: {members: [mate], supervisor: x}', mate: '' };
    expect(await team(supervised)).toEqual(REFUSED);
    const step = /^next: (.*)$/m.exec(x)?.[1];
    const before = step === undefined ? `${x}\nnext: last` : x.replace(step, `{sequence: [${step}, last]}`);
    expect(await team({ top: 'team: {members: [x], supervisor: self}', x: before, last: '' })).toEqual(FINE);
  });

  test('a router and an agent with a team have it, and it looks at what came back', async () => {
    const { x = '' } = flow.agents;
    const routing = { ...flow.agents, dest: '', top: `router: {destinations: [dest]}\n${x}` };
    const { x: answers = [] } = flow.script ?? {};
    const routed = { ...flow.script, top: [{ call: { 'handoff-to': { agent: 'dest' } } }], dest: answers };
    const router = written({ agents: routing, script: routed });
    if (name === 'loop') {
      expect(await checked(router)).toEqual({ exit: 1, findings: ['top.md key/conflict'] });
    } else {
      expect(await checked(router)).toEqual(FINE);
      const ran = await played(router);
      expect(ran.exit, ran.stderr).toBe(0);
      expect(ran.stdout.trim()).toBe(flow.answer);
    }
    const agents = { ...flow.agents, mate: '', top: `team: {members: [mate], supervisor: self}\n${x}` };
    const mate = [{ call: { team_broadcast: { message: 'Here.' } }, repeat: true }];
    // A new team works in each round: its supervisor gets the feedback with its request.
    const top = name === 'loop' ? [{ when: { input: 'FEEDBACK, ROUND 2' }, answer: 'second' }, says('first')] : answers;
    const teamed = written({ agents, script: { ...flow.script, mate, top } });
    expect(await checked(teamed)).toEqual(FINE);
    const ran = await played(teamed);
    expect(ran.exit, ran.stderr).toBe(0);
    expect(ran.stdout.trim()).toBe(flow.answer);
  });
});
