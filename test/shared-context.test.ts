// Shared context: inheritance, override, references, the exact text in the prompt, and what is refused.

import { expect, test } from 'vitest';
import { replay } from '../src/engine/replay.ts';
import { services } from '../src/engine/services.ts';
import { getParentSharedContext, getSharedContext } from '../src/engine/spawned.ts';
import { bytesOf, injected, MOST_BYTES, readShared, snapshot } from '../src/patterns/spawn/shared-context.ts';
import { bench, call, finish, type Model } from './support/cadre.ts';
import {
  boss,
  calls,
  instants,
  type Json,
  lastUser,
  receipts,
  report,
  results,
  spawn,
  start,
  waiting,
} from './support/spawning.ts';

test('it stands in the system prompt of the child as key and JSON, and all of a parallel spawn get the same', async () => {
  const systems: string[] = [];
  const sharedContext = { projectGoal: 'Build a modern web app', constraints: ['budget', 'timeline'] };
  const first = calls(spawn({ task: ['a', 'b'], parallel: true, sharedContext }));
  const of = boss();
  const { events } = await finish(
    bench(
      of,
      waiting(first, (request) => (systems.push(request.system), 'ok')),
    ),
    start,
  );
  const text =
    '[Shared Context]:\n- projectGoal: "Build a modern web app"\n- constraints: ["budget","timeline"]\n\nYou are worker.';
  expect(systems).toEqual([text, text]);
  expect(await replay(events, of, services)).toMatchObject({ kind: 'identical' });
});

test('children inherit, override and extend; the parent keeps its own; the family can read it by key', async () => {
  const of = boss();
  const seen = new Map<string, string>();
  const read: string[] = [];
  const model: Model = (request) => {
    const task = request.messages[0]?.role === 'user' ? request.messages[0].text : '';
    if (task === 'leaf') {
      seen.set('leaf', request.system);
      if (request.turn === 1)
        return calls(
          { name: 'shared_context', args: { key: 'tone' } },
          { name: 'shared_context', args: {} },
          { name: 'shared_context', args: { key: 'none' } },
        );
      read.push(...results(request));
      return 'ok';
    }
    if (task === 'go') expect(request.tools.map(({ name }) => name)).not.toContain('shared_context');
    seen.set(`${task}#${request.turn}`, request.system);
    const sharedContext = task === 'go' ? { goal: 'ship', tone: 'dry' } : { tone: 'warm', extra: 1 };
    if (request.turn === 1)
      return calls({ name: 'sessions_spawn', args: { task: task === 'go' ? 'middle' : 'leaf', sharedContext } });
    return request.turn === 2 ? call('sessions_wait', {}) : report('ok');
  };
  const b = bench(of, model);
  const { run, events } = await finish(b, start);
  const middle = '[Shared Context]:\n- goal: "ship"\n- tone: "dry"\n\nYou are boss.';
  expect(seen.get('middle#1')).toBe(middle);
  expect(seen.get('middle#3')).toBe(middle);
  expect(seen.get('leaf')).toBe('[Shared Context]:\n- goal: "ship"\n- tone: "warm"\n- extra: 1\n\nYou are boss.');
  expect(read).toEqual([
    '"warm"',
    '{"goal":"ship","tone":"warm","extra":1}',
    'There is no key "none". Known: goal, tone, extra.',
  ]);
  const [outer, inner] = receipts(events);
  expect(await getSharedContext(inner?.run ?? '', b.store)).toEqual({ goal: 'ship', tone: 'warm', extra: 1 });
  expect(await getParentSharedContext(outer?.sessionKey ?? '', b.store)).toEqual({ goal: 'ship', tone: 'dry' });
  expect(await getParentSharedContext(`${run}:0`, b.store)).toBeUndefined();
});

test('a reference becomes the key without its sign, with the result, and is waited for', async () => {
  const systems: string[] = [];
  const first = calls(
    spawn({ task: 'look', label: 'research' }),
    spawn({ task: 'draw', label: 'designer', sharedContext: { $research: 'reference', tone: 'dry' } }),
  );
  const of = boss();
  const worker: Model = (request) => {
    systems.push(request.system);
    return lastUser(request) === 'look' ? 'use "tabs"\nand lists' : 'drawn';
  };
  const { events } = await finish(bench(of, waiting(first, worker)), start);
  expect(systems).toEqual([
    'You are worker.',
    '[Shared Context]:\n- tone: "dry"\n- research: "use \\"tabs\\"\\nand lists"\n\nYou are worker.',
  ]);
  expect(await replay(events, of, services)).toMatchObject({ kind: 'identical' });
});

test('hostile keys, wrong references, what is no JSON and what is too large are refused, and nothing starts', async () => {
  const refused = (given: unknown) => (readShared(given) as { error?: string }).error;
  expect(refused(JSON.parse('{"__proto__": {"admin": true}}'))).toContain('"__proto__" is refused');
  expect(refused({ deep: [{ inner: JSON.parse('{"constructor": 1}') as unknown }] })).toContain(
    'sharedContext.deep[0].inner: the key "constructor"',
  );
  expect(refused({ 'a\n- injected': 1 })).toContain('cannot be a key');
  expect(refused({ $x: 'something' })).toContain('its value is "reference"');
  expect(refused({ $__proto__: 'reference' })).toContain('is refused');
  expect(refused([1])).toContain('must be an object');
  expect(refused({ when: new Date() })).toContain('is no JSON value');
  expect(refused({ run: () => 1 })).toContain('is no JSON value');
  expect(refused({ n: Number.NaN })).toContain('no JSON number');
  expect(refused({ big: 'ü'.repeat(33_000) })).toContain(`${MOST_BYTES} are allowed`);
  expect(readShared({ big: 'ü'.repeat(30_000) }, { more: 'x'.repeat(6000) })).toHaveProperty('error');

  let errors: unknown[] = [];
  const first = calls(
    spawn({ task: 'never', sharedContext: JSON.parse('{"__proto__": 1}') as object }),
    spawn({ task: 'never', sharedContext: { toString: 1 } }),
  );
  const model: Model = (request) => {
    if (request.turn === 2) errors = results(request).map((text) => (JSON.parse(text) as Json)['status']);
    return request.turn === 1 ? first : report('ok');
  };
  const { events } = await finish(bench(boss(), model), start);
  expect(errors).toEqual(['error', 'error']);
  expect(instants(events, 'spawn')).toHaveLength(0);
});

test('a result that does not fit is cut with a word on where all of it is; the snapshot stays within its cap', () => {
  const long = 'é'.repeat(60_000);
  const shared = snapshot({ goal: 'x' }, { own: 1 }, [
    { label: 'one', value: long, way: 'Read 0.1' },
    { label: 'two', value: { rows: [long] }, way: 'Read 0.2' },
    { label: 'small', value: { ok: true }, way: 'Read 0.3' },
  ]);
  expect(bytesOf(shared)).toBeLessThanOrEqual(MOST_BYTES);
  expect(Object.keys(shared)).toEqual(['goal', 'own', 'one', 'two', 'small']);
  expect(shared['one']).toMatch(/bytes\. Read 0\.1 …\]$/);
  expect(shared['small']).toEqual({ ok: true });
  expect(injected(shared).split('\n')).toHaveLength(6);
});
