// A helper wherever an agent may stand: below a stage of a chain, a router, an advisor, a member of a team, an agent that is
// called, a spawned run, and another helper. In each place it is killed at every event, and meets budgets, deadlines and stops.

import { expect, test } from 'vitest';
import { replay } from '../src/engine/history/replay.ts';
import { readAll } from '../src/engine/pinned.ts';
import type { OpEnd, RunEvent } from '../src/journal/event.ts';
import type { Outcome } from '../src/kernel/outcome.ts';
import { services } from '../src/run/services.ts';
import { ledger } from '../src/views/costs/ledger.ts';
import { opTree } from '../src/views/tree/op-tree.ts';
import { builtWorker } from './support/built-worker.ts';
import { brokenOff } from './support/cadre.ts';
import { isHelperStart, type Opened, openPlace, type Place } from './support/subagent.ts';

const TO_BOSS = { call: { agent__boss: { input: 'Count.', reason: 'to know' } } };

/** The places of `boss`, who delegates. Without `parent` it is the agent that is asked. */
const PLACES: Readonly<Record<string, Place>> = {
  'the agent that is asked': {},
  'a later stage of a chain': { parent: { next: 'boss' }, steps: [{ answer: 'Go on.' }] },
  'an earlier stage of a chain': { boss: { next: 'last' } },
  'the destination of a router': {
    parent: { router: { destinations: ['boss'] } },
    steps: [{ call: { 'handoff-to': { agent: 'boss' } } }],
  },
  'an advisor': { parent: { advisors: ['boss'] }, steps: [{ answer: '{{input}}' }] },
  'a member of a team': {
    parent: { team: { members: ['boss'], supervisor: 'self' } },
    steps: [{ report: 'Decided.' }],
    ending: { call: { team_broadcast: { message: '{{result.subagent}}', then: 'leave-success' } } },
  },
  'an agent that is called': {
    parent: { agents: ['boss'] },
    steps: [TO_BOSS, { answer: '{{result.agent__boss}}' }],
  },
  'a spawned run': {
    parent: { spawn: { agents: ['boss'] } },
    steps: [
      { call: { sessions_spawn: { task: 'Count.', agent: 'boss', label: 'one' } } },
      { call: { sessions_wait: { labels: ['one'] } } },
      { answer: 'Waited.' },
    ],
  },
  'an agent that has a helper of a helper': {
    config: { maxDepth: 2 },
    helper: [
      { when: { input: 'Look deeper.', tool: 'list_files' }, report: { summary: 'Deep.' } },
      { when: { input: 'Look deeper.' }, call: { list_files: {} } },
      { when: { tool: 'subagent' }, report: { summary: '{{result.subagent}}' } },
      { call: { subagent: { task: 'Look deeper.' } } },
    ],
  },
  'an agent at the deepest level that is allowed': {
    parent: { agents: ['boss'] },
    steps: [TO_BOSS, { answer: '{{result.agent__boss}}' }],
    limits: { maxDepth: 1 },
  },
};

const helperEnd = (events: readonly RunEvent[]): OpEnd => {
  const start = events.find(isHelperStart);
  const end = events.find((event) => event.type === 'op-end' && event.path === start?.path);
  if (end?.type !== 'op-end') throw new Error('no run of a helper has ended');
  return end;
};

const recordIn = (events: readonly RunEvent[]) => {
  const { result } = helperEnd(events);
  return result.ok ? (result.value as Outcome).record : undefined;
};

async function played(opened: Opened): Promise<{ readonly outcome: Outcome; readonly events: readonly RunEvent[] }> {
  const handle = await opened.start();
  const outcome = await handle.outcome();
  const events = await readAll(handle.run, opened.store);
  await opened.close();
  return { outcome, events };
}

const endsOnce = (events: readonly RunEvent[]): void => {
  const ends = events.flatMap((event) => (event.type === 'op-end' ? event.path : []));
  expect(new Set(ends).size).toBe(ends.length);
};

test.each(Object.entries(PLACES))('%s delegates, and is killed at every event', async (_, place) => {
  const opened = await openPlace(place);
  const { outcome, events } = await played(opened);
  expect(outcome.kind).toBe('answered');
  expect(recordIn(events)).toMatchObject({ status: 'success', error: null });
  const run = (events[0] as { readonly run: string }).run;
  for (let count = 1; count < events.length; count++) {
    const store = await brokenOff(events, count, run);
    const again = await openPlace(place, { store, folder: opened.folder });
    const resumed = await (await again.resume(run)).outcome();
    expect(resumed).toEqual(outcome);
    const after = await readAll(run, store);
    endsOnce(after);
    expect(opTree(after).inclusive.calls).toBe(ledger(after).totals.calls);
    expect(await replay(after, again.cadre, services)).toMatchObject({ kind: 'identical', ended: true });
    await again.close();
  }
});

test.each(Object.entries(PLACES))('%s leaves the same journal with both runners', async (_, place) => {
  const here = await played(await openPlace(place));
  const apart = await played(await openPlace({ ...place, runner: 'subprocess' }, { worker: await builtWorker() }));
  expect(apart.events.slice(1)).toEqual(here.events.slice(1)); // the first one names the texts
});

test.each(Object.entries(PLACES))('%s has a helper that runs out of time, and goes on', async (_, place) => {
  const { outcome, events } = await played(
    await openPlace({ ...place, config: { timeoutSeconds: 0.3 }, helper: [{ fault: 'hang' }] }),
  );
  expect(outcome.kind).toBe('answered');
  expect(helperEnd(events)).toMatchObject({ result: { ok: true, value: { kind: 'timed-out' } } });
  expect(recordIn(events)).toMatchObject({ status: 'timed_out', error_code: 'timeout' });
});

test.each(Object.entries(PLACES))('%s has a helper that its budget stops', async (_, place) => {
  const opened = await openPlace({
    ...place,
    boss: { ...place.boss, budget: { tokens: 9000 }, maxOutputTokens: 200 },
    helper: [{ call: { list_files: {} }, usage: { input: 1900, output: 200 }, repeat: true }],
  });
  const { events } = await played(opened);
  expect(helperEnd(events)).toMatchObject({ result: { ok: true, value: { kind: 'over-budget' } } });
  expect(recordIn(events)).toMatchObject({ status: 'error', error_code: 'over_budget' });
  expect(await replay(events, opened.cadre, services)).toMatchObject({ kind: 'identical', ended: true });
});

test.each(Object.entries(PLACES))('%s is cancelled with its helper', async (_, place) => {
  const opened = await openPlace({ ...place, helper: [{ fault: 'hang' }] });
  const handle = await opened.start();
  const working = new Promise<void>((resolve) => {
    handle.watch({
      event(event) {
        if (event.type === 'op-start' && event.op.kind === 'model' && event.op.agent === 'boss/subagent') resolve();
      },
    });
  });
  await working;
  handle.interrupt('cancel', 'Enough.');
  expect((await handle.outcome()).kind).toBe('cancelled');
  const events = await readAll(handle.run, opened.store);
  expect(helperEnd(events)).toMatchObject({ result: { ok: true, value: { kind: 'cancelled' } } });
  expect(recordIn(events)).toMatchObject({ error_code: 'cancelled' });
  endsOnce(events);
  expect(await replay(events, opened.cadre, services)).toMatchObject({ kind: 'identical', ended: true });
  await opened.close();
});
