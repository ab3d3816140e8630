// Random compositions of all patterns: however a request gets to an agent, what it is told holds the original request
// in one section, and the sections that were added on the way below it.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AgentDefinition, CadreDefinition } from '../src/definition/definition.ts';
import { wayToSeat } from '../src/patterns/final-answerers.ts';
import { patternsOf } from './support/patterns.ts';

const NONE = { patterns: [] };

import { replay } from '../src/engine/history/replay.ts';
import { fingerprint } from '../src/journal/fingerprint.ts';
import type { ModelRequest } from '../src/kernel/effect.ts';
import { services } from '../src/run/services.ts';
import {
  type AgentSketch,
  agent,
  bench,
  cadre,
  call,
  callableIn,
  finish,
  type Model,
  type Reply,
} from './support/cadre.ts';

interface Plan {
  readonly links: readonly number[];
  readonly before: 'nothing' | 'advisors';
  readonly middle: 'session' | 'router' | 'team' | 'led team';
  readonly after: 'nothing' | 'next' | 'handoff' | 'request+answer';
}

const plan = fc.record<Plan>({
  links: fc.array(fc.nat(6), { minLength: 5, maxLength: 5 }),
  before: fc.constantFrom('nothing', 'advisors'),
  middle: fc.constantFrom('session', 'router', 'team', 'led team'),
  after: fc.constantFrom('nothing', 'next', 'handoff', 'request+answer'),
});

/** Agent n refers only to agents after it, and a team seats only those who can take part in it. */
function cadreOf(plans: readonly Plan[]): CadreDefinition {
  const known = new Map<string, AgentDefinition>();
  const sketches = plans.map((of, index) => ({ of, index })).reverse();
  return cadre(...sketches.map(({ of, index }) => remember(known, sketchOf(of, index, plans.length, known))).reverse());
}

function remember(known: Map<string, AgentDefinition>, sketch: AgentSketch): AgentSketch {
  known.set(sketch.name, agent(sketch));
  return sketch;
}

function sketchOf(of: Plan, index: number, count: number, known: ReadonlyMap<string, AgentDefinition>): AgentSketch {
  const base: AgentSketch = { name: `a${index}`, maxTurns: 3 };
  const later = count - index - 1;
  if (later === 0) return base;
  const [first, second, third, fourth, last] = of.links.map((link) => `a${index + 1 + (link % later)}`) as [
    string,
    string,
    string,
    string,
    string,
  ];
  const advisors = of.before === 'advisors' && {
    advisors: { agents: [...new Set([first, second])], policy: { kind: 'isolate' } as const },
  };
  const chain = of.after !== 'nothing' && {
    chain: {
      trigger: of.after === 'next' ? ('next' as const) : ('handoff' as const),
      stages: [{ to: last }],
      pass: of.after === 'request+answer' ? ('request+answer' as const) : ('answer' as const),
    },
  };
  return { ...base, ...advisors, ...middleOf(of, [third, fourth], base.name, known), ...chain };
}

function middleOf(
  { middle }: Plan,
  targets: readonly [string, string],
  self: string,
  known: ReadonlyMap<string, AgentDefinition>,
): Partial<AgentSketch> {
  if (middle === 'session') return {};
  if (middle === 'router') return { router: { destinations: [...new Set(targets)] } };
  const [member, leader] = targets;
  const seat = wayToSeat(member, known)?.at(-1) ?? member;
  if (patternsOf(known.get(seat) ?? NONE).router !== undefined) return {};
  const { chain, router, team } = patternsOf(known.get(leader) ?? NONE);
  const leads = middle === 'led team' && leader !== seat && leader !== member && !chain && !router && !team;
  const turns = { memberMaxTurns: 2, supervisorMaxTurns: 2 };
  return { team: { members: [member], supervisor: leads ? leader : self, ...turns } };
}

/** Decides by the request alone. Its answers name no section. */
const model =
  (seed: number, heard: string[]): Model =>
  (request) => {
    for (const message of request.messages.slice(request.fresh)) if (message.role === 'user') heard.push(message.text);
    return replyTo(request, Number.parseInt(fingerprint(`${seed}/${request.session}#${request.turn}`).slice(0, 6), 16));
  };

function replyTo(request: ModelRequest, dice: number): Reply {
  const offered = callableIn(request);
  if (offered.includes('handoff-to') && dice % 4 > 0) {
    const spec = request.tools.find(({ name }) => name === 'handoff-to');
    const parameters = spec?.parameters as { properties: Record<string, { enum: string[] }> } | undefined;
    const names = parameters?.properties['agent']?.enum ?? [];
    const to = { agent: names[dice % names.length] };
    return call('handoff-to', dice % 8 > 4 ? to : { ...to, message: 'over to you' });
  }
  return `answer ${dice % 10}`;
}

const headings = (text: string): number =>
  text.split('\n').filter((line) => line === '## ORIGINAL USER REQUEST').length;

test('the original request stands at most once in what any agent is told, whatever way it came', async () => {
  let composed = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(plan, { minLength: 2, maxLength: 7 }), fc.nat(10_000), async (plans, seed) => {
      const of = cadreOf(plans);
      const heard: string[] = [];
      const { events } = await finish(bench(of, model(seed, heard)), { agent: 'a0', input: { text: 'start' } });
      composed += heard.filter((text) => headings(text) === 1).length;
      expect(heard.filter((text) => headings(text) > 1)).toEqual([]);
      expect(await replay(events, of, services)).toMatchObject({ kind: 'identical' });
    }),
    { numRuns: 400 },
  );
  expect(composed).toBeGreaterThan(400);
});
