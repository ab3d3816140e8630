// Loops in every place that an agent may have, and a model under which the second answer of each is good.

import type { ModelRequest } from '../../src/kernel/effect.ts';
import type { RepeatConfig } from '../../src/patterns/repeat/key.ts';
import { type AgentSketch, call, lastText, type Model, type Reply } from './cadre.ts';

export const until = (max: number, more: Partial<RepeatConfig> = {}): RepeatConfig => ({
  until: 'critic',
  max,
  fresh: false,
  atMax: 'fail',
  ...more,
});

export const verdict = (good: boolean, why = 'Say more.'): Reply => call('final_report', { good, why });

/** The number of the answer that the agent was asked for last. */
export function countOf({ messages }: ModelRequest): number {
  const said = messages.map((message) => (message.role === 'user' ? message.text : '')).join('\n');
  return Number([...said.matchAll(/## FEEDBACK, ROUND (\d+) OF/g)].at(-1)?.[1] ?? 1);
}

export const CRITIC: AgentSketch = { name: 'critic' };
export const WRITER: AgentSketch = { name: 'writer', repeat: until(4) };

const LIST = {
  output: {
    format: 'json',
    schema: { type: 'object', properties: { parts: { type: 'array' } }, required: ['parts'] },
  },
  outputDeclared: true,
} as const;
/** One item at a time. */
const EACH = {
  kind: 'map',
  each: 'parts',
  to: 'writer',
  max: 2,
  concurrent: 1,
  failures: 2,
  pass: 'item',
} as const;

export const LOOP_PLACES: Readonly<Record<string, readonly AgentSketch[]>> = {
  root: [WRITER, CRITIC],
  'root, fresh': [{ ...WRITER, repeat: until(4, { fresh: true }) }, CRITIC],
  stage: [{ name: 'a', chain: { trigger: 'next', stages: [{ to: 'writer' }], pass: 'answer' } }, WRITER, CRITIC],
  'stage before another': [
    { name: 'a', chain: { trigger: 'next', stages: [{ to: 'writer' }, { to: 'b' }], pass: 'answer' } },
    WRITER,
    { name: 'b' },
    CRITIC,
  ],
  'sub-agent': [{ name: 'a', agents: ['writer'] }, WRITER, CRITIC],
  'sub-agent, asked again': [{ name: 'a', agents: ['writer'] }, { ...WRITER, chat: true }, CRITIC],
  'fresh sub-agent, asked again': [
    { name: 'a', agents: ['writer'] },
    { ...WRITER, repeat: until(4, { fresh: true }), chat: true },
    CRITIC,
  ],
  advisor: [{ name: 'a', advisors: { agents: ['writer'], policy: { kind: 'isolate' } } }, WRITER, CRITIC],
  judge: [{ name: 'a', repeat: { ...until(2), until: 'writer' } }, { ...WRITER, repeat: until(2) }, CRITIC],
  destination: [{ name: 'a', router: { destinations: ['writer'] } }, WRITER, CRITIC],
  spawned: [
    { name: 'a', spawn: { agents: ['writer'], maxDepth: 3, maxChildren: 5, maxTotal: 50, maxConcurrent: 8 } },
    WRITER,
    CRITIC,
  ],
  item: [{ name: 'a', ...LIST, chain: { trigger: 'next', pass: 'answer', steps: [EACH] } }, WRITER, CRITIC],
  team: [
    { name: 'writer', team: { members: ['ada'], supervisor: 'writer' }, repeat: until(4) },
    { name: 'ada' },
    CRITIC,
  ],
  'before a seat': [
    { name: 'a', team: { members: ['writer'], supervisor: 'a' } },
    { ...WRITER, chain: { trigger: 'next', stages: [{ to: 'ada' }], pass: 'answer' } },
    { name: 'ada' },
    CRITIC,
  ],
  'judge with a chain': [
    { ...WRITER, repeat: { ...until(3), until: 'scribe' } },
    { name: 'scribe', chain: { trigger: 'next', stages: [{ to: 'critic' }], pass: 'answer' } },
    CRITIC,
  ],
  'judge with a team': [
    { ...WRITER, repeat: { ...until(3), until: 'jury' } },
    { name: 'jury', team: { members: ['ada'], supervisor: 'critic' } },
    { name: 'ada' },
    CRITIC,
  ],
  'judge with advisors': [
    WRITER,
    { ...CRITIC, advisors: { agents: ['ada'], policy: { kind: 'isolate' } } },
    { name: 'ada' },
  ],
};

/** A model for all of these: the loop's second answer is good, and the others do what leads to the loop. */
export const inPlaces: Model = (request) => {
  const { agent, turn, messages, output, tools } = request;
  const said = messages.map((message) => (message.role === 'user' ? message.text : '')).join('\n');
  if (agent === 'critic')
    return verdict(said.includes('writer 2') || said.includes('scribe 2') || said.includes('good":true'));
  if (agent === 'writer' && output.format === 'json') return verdict(countOf(request) > 1);
  if (agent === 'a' && output.format === 'json') return call('final_report', { parts: ['x', 'y'] });
  const has = (name: string): boolean => tools.some((tool) => tool.name === name);
  if (agent === 'a' && turn === 1 && has('agent__writer'))
    return call('agent__writer', { input: 'write', reason: 'r' });
  if (agent === 'a' && turn === 1 && has('handoff-to')) return call('handoff-to', { agent: 'writer' });
  if (agent === 'a' && turn === 1 && has('sessions_spawn'))
    return call('sessions_spawn', { task: 'write', agent: 'writer', label: 'w' });
  if (agent === 'a' && turn === 2 && has('sessions_wait')) return call('sessions_wait', {});
  const [, id] = /id `([^`]+)`/.exec(lastText(request)) ?? [];
  if (id !== undefined && turn === 2) return call('agent__ask_clarification', { id, question: 'Sure?' });
  return `${agent} ${agent === 'scribe' ? (said.includes('writer 2') ? 2 : 1) : agent === 'writer' ? countOf(request) : turn}`;
};
