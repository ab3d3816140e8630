// A run that one engine works on is taken over by another one on the same store.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { replay } from '../src/engine/history/replay.ts';
import { readAll } from '../src/engine/pinned.ts';
import { faultCode } from '../src/journal/store.conformance.ts';
import type { RunStore } from '../src/journal/store.ts';
import { services } from '../src/run/services.ts';
import { fileStore } from '../src/stores/file/file-store.ts';
import { memoryStore } from '../src/stores/memory.ts';
import { bench, cadre, type Reply } from './support/cadre.ts';

const dir = mkdtempSync(join(tmpdir(), 'cadre-take-over-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const of = cadre({ name: 'lead', agents: ['north', 'south'] }, { name: 'north' }, { name: 'south' });
const both = (input: string): Reply => ({
  calls: ['north', 'south'].map((name) => ({ name: `agent__${name}`, args: { input, reason: 'two see more' } })),
});

test.each<[string, () => RunStore]>([
  ['memory', memoryStore],
  ['file', () => fileStore(dir)],
])('the first engine stops all its calls with a fault, the second ends the run, %s store', async (_, open) => {
  const store = open();
  const asked = new Map<string, AbortSignal>();
  let letNorthGo = (): void => {};
  let tellBothAsked = (): void => {};
  const bothAsked = new Promise<void>((resolve) => (tellBothAsked = resolve));
  const first = bench(
    of,
    async ({ agent }, signal) => {
      if (agent === 'lead') return both('Look.');
      asked.set(agent, signal);
      if (asked.size === 2) tellBothAsked();
      return agent === 'north'
        ? new Promise((resolve) => (letNorthGo = () => resolve('paid for, and late')))
        : new Promise((resolve) => signal.addEventListener('abort', () => resolve('stopped')));
    },
    { store },
  );
  const handle = await first.engine.start({ agent: 'lead', input: { text: 'go' } });
  const ended = handle.outcome().catch((thrown: unknown) => thrown);
  await bothAsked;

  const second = bench(of, ({ agent, turn }) => (agent === 'lead' && turn === 1 ? 'never' : `${agent} says so`), {
    store,
  });
  await expect(second.engine.resume(handle.run)).rejects.toEqual(faultCode('run/locked'));
  const taken = await second.engine.resume(handle.run, { takeOver: true });
  letNorthGo();
  expect(await ended).toEqual(faultCode('run/taken-over'));
  expect(asked.get('south')?.aborted).toBe(true);
  expect(await taken.outcome()).toMatchObject({ kind: 'answered', text: 'lead says so' });

  const events = await readAll(handle.run, store);
  expect(JSON.stringify(events)).not.toContain('paid for, and late');
  expect(events.filter(({ type }) => type === 'run-resume')).toHaveLength(1);
  expect(await replay(events, of, services)).toMatchObject({ kind: 'identical', ended: true });
});

test('a run that has ended is not taken over', async () => {
  const b = bench(of, () => 'done');
  const handle = await b.engine.start({ agent: 'lead', input: { text: 'go' } });
  await handle.outcome();
  await expect(b.engine.resume(handle.run, { takeOver: true })).rejects.toEqual(faultCode('run/finished'));
});
