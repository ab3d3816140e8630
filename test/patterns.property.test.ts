// Random acyclic cadres with mixed patterns and random failures, checked for what must always hold.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CadreDefinition } from '../src/definition/definition.ts';
import { forkRun } from '../src/engine/history/fork.ts';
import { replay } from '../src/engine/history/replay.ts';
import { readAll } from '../src/engine/pinned.ts';
import type { RunEvent } from '../src/journal/event.ts';
import { fingerprint } from '../src/journal/fingerprint.ts';
import type { ModelRequest } from '../src/kernel/effect.ts';
import { services } from '../src/run/services.ts';
import { ledger } from '../src/views/costs/ledger.ts';
import { opTree } from '../src/views/tree/op-tree.ts';
import {
  type AgentSketch,
  bench,
  brokenOff,
  cadre,
  call,
  callableIn,
  finish,
  type Model,
  type Reply,
} from './support/cadre.ts';

const ORDER_SCHEMA = { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] };

interface Plan {
  readonly links: readonly number[];
  readonly pattern: 'plain' | 'next' | 'handoff' | 'router' | 'advisors' | 'quorum' | 'agents' | 'else' | 'sequence';
  readonly chat: boolean;
  readonly json: boolean;
}

const plan = fc.record<Plan>({
  links: fc.array(fc.nat(5), { minLength: 1, maxLength: 3 }),
  pattern: fc.constantFrom('plain', 'next', 'handoff', 'router', 'advisors', 'quorum', 'agents', 'else', 'sequence'),
  chat: fc.boolean(),
  json: fc.boolean(),
});

/** Agent n refers only to agents after it: no cycle is possible. */
function cadreOf(plans: readonly Plan[]): CadreDefinition {
  const name = (index: number) => `a${index}`;
  return cadre(
    ...plans.map((of, index): AgentSketch => {
      const later = plans.length - index - 1;
      const targets = later === 0 ? [] : [...new Set(of.links.map((link) => name(index + 1 + (link % later))))];
      const [first, second = first] = targets;
      const base: AgentSketch = {
        name: name(index),
        chat: of.chat,
        maxTurns: 4,
        ...(of.json && index > 0 && { input: { format: 'json', schema: ORDER_SCHEMA } }),
      };
      if (first === undefined || second === undefined) return base;
      switch (of.pattern) {
        case 'plain':
          return base;
        case 'next':
        case 'handoff':
          return { ...base, chain: { trigger: of.pattern, stages: [{ to: first }], pass: 'answer' } };
        case 'else':
          return { ...base, chain: { trigger: 'next', stages: [{ to: first, else: second }], pass: 'answer' } };
        case 'sequence':
          return { ...base, chain: { trigger: 'next', stages: targets.map((to) => ({ to })), pass: 'answer' } };
        case 'router':
          return { ...base, router: { destinations: targets } };
        case 'advisors':
          return { ...base, advisors: { agents: targets, policy: { kind: 'isolate' } } };
        case 'quorum':
          return { ...base, advisors: { agents: targets, policy: { kind: 'quorum', count: 1 } } };
        case 'agents':
          return { ...base, agents: targets };
      }
    }),
  );
}

/** Decides by the request alone, so that a resumed run meets the same model. */
const model =
  (seed: number, failures: number, pace: (key: string) => number): Model =>
  async (request) => {
    const key = `${seed}/${request.session}#${request.turn}`;
    const dice = Number.parseInt(fingerprint(key).slice(0, 6), 16);
    for (let steps = pace(key); steps > 0; steps--) await Promise.resolve();
    if (dice % 100 < failures) return { fault: 'model/server' };
    return replyTo(request, dice);
  };

function replyTo(request: ModelRequest, dice: number): Reply {
  const offered = callableIn(request).filter((name) => name !== 'agent__dismiss');
  const wanted = offered[dice % offered.length] ?? 'final_report';
  const spec = request.tools.find(({ name }) => name === wanted);
  const properties =
    ((spec?.parameters ?? {}) as { properties?: Record<string, { enum?: string[] }> }).properties ?? {};
  if (wanted === 'handoff-to') {
    const written = properties['input'] !== undefined && dice % 3 > 0 ? { input: { amount: 7 } } : {};
    return call(wanted, { agent: properties['agent']?.enum?.[0], message: 'over to you', ...written });
  }
  if (wanted === 'agent__ask_clarification') return call(wanted, { id: properties['id']?.enum?.[0], question: 'why?' });
  if (wanted.startsWith('agent__')) {
    const args = { input: 'please', amount: 7, reason: 'because' };
    return {
      calls: [
        { name: wanted, args },
        { name: wanted, args },
      ],
    };
  }
  if (request.output.format === 'json')
    return call('final_report', dice % 5 === 0 ? { amount: 'much' } : { amount: dice % 100, content: 1 });
  return dice % 2 === 0 ? `answer ${dice % 10}` : call('final_report', { content: `report ${dice % 10}` });
}

const scenario = fc.record({
  plans: fc.array(plan, { minLength: 1, maxLength: 6 }),
  seed: fc.nat(10_000),
  failures: fc.constantFrom(0, 10, 30),
});

/** It goes on from an earlier exchange, so that whatever holds for a run holds for one of a conversation. */
const history = [
  { role: 'user', text: 'said before' },
  { role: 'assistant', text: 'answered before' },
] as const;
const request = { agent: 'a0', input: { text: 'start', history } };
const steady = () => 0;

test('every run has exactly one outcome, one ledger line per model call, and replays to the same events', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, fc.nat(1000), async ({ plans, seed, failures }, schedule) => {
      const of = cadreOf(plans);
      const shuffled = (key: string) => Number.parseInt(fingerprint(`${schedule}${key}`).slice(0, 2), 16) % 40;
      const b = bench(of, model(seed, failures, shuffled));
      const { events, outcome } = await finish(b, request);
      expect(events.filter(({ type }) => type === 'run-end')).toHaveLength(1);
      expect(['answered', 'exhausted', 'failed']).toContain(outcome.kind);
      const lines = ledger(events).lines;
      expect(lines.filter(({ fault }) => fault !== 'cancelled')).toHaveLength(b.answers.length);
      expect(opTree(events).inclusive.usd ?? 0).toBeCloseTo(
        lines.reduce((sum, { usd }) => sum + (usd ?? 0), 0),
        9,
      );
      expect(await replay(events, of, services)).toEqual({ kind: 'identical', events: events.length, ended: true });
      expect(JSON.stringify(events).split('answered before')).toHaveLength(2); // stored once, whoever was told
    }),
    { numRuns: 300 },
  );
});

test('resumed from every prefix of its journal, a run ends the same and pays for nothing twice', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ plans, seed, failures }) => {
      const of = cadreOf(plans.map((one) => (one.pattern === 'quorum' ? { ...one, pattern: 'advisors' } : one)));
      const whole = await finish(bench(of, model(seed, failures, steady)), request);
      const step = Math.max(1, Math.floor(whole.events.length / 25));
      for (let count = 1; count < whole.events.length; count += step) {
        const prefix = whole.events.slice(0, count);
        const b = bench(of, model(seed, failures, steady), { store: await brokenOff(whole.events, count, whole.run) });
        const outcome = await (await b.engine.resume(whole.run)).outcome();
        expect(outcome).toEqual(whole.outcome);
        const ended = prefix.filter((event) => event.type === 'op-end' && event.kind === 'model').length;
        const all = whole.events.filter((event) => event.type === 'op-end' && event.kind === 'model').length;
        expect(b.calls.length).toBe(all - ended);
      }
    }),
    { numRuns: 60 },
  );
});

test('forked at any op, with another model too, a run ends the same, pays only for what follows, and replays', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, fc.boolean(), fc.nat(1000), async ({ plans, seed, failures }, isOther, pick) => {
      const of = cadreOf(plans.map((one) => (one.pattern === 'quorum' ? { ...one, pattern: 'advisors' } : one)));
      const b = bench(of, model(seed, failures, steady));
      const whole = await finish(b, request);
      const ops = ['0', ...whole.events.flatMap((event) => (event.type === 'op-start' ? [event.path] : []))];
      const at = ops[pick % ops.length] ?? '0';
      const models = isOther ? { models: ['openai/other'] } : {};
      const parts = { store: b.store, cadre: of, texts: 'pinned', now: Date.now } as const;
      const { run, events: taken } = await forkRun({ run: whole.run, at, ...models }, parts);
      const again = bench(of, model(seed, failures, steady), { store: b.store });
      expect(await (await again.engine.resume(run)).outcome()).toEqual(whole.outcome);
      const events = await readAll(run, b.store);
      const replies = (of: readonly RunEvent[]) =>
        of.filter((one) => one.type === 'op-end' && one.kind === 'model').length;
      expect(again.calls.length).toBe(replies(whole.events) - replies(events.slice(0, taken)));
      expect(await replay(events, of, services)).toEqual({ kind: 'identical', events: events.length, ended: true });
    }),
    { numRuns: 200 },
  );
});
