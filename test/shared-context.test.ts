// Shared context: inheritance, override, references, the exact text in the prompt, and what is refused.

import { expect, test } from 'vitest';
import { replay } from '../src/engine/history/replay.ts';
import { getFamilySharedContext, getParentSharedContext, getSharedContext } from '../src/engine/remote/spawned.ts';
import {
  bytesOf,
  collectShared,
  MOST_BYTES,
  readShared,
  sharedContextText,
  snapshot,
} from '../src/patterns/spawn/shared-context.ts';
import { services } from '../src/run/services.ts';
import { bench, brokenOff, cadre, call, finish, type Model } from './support/cadre.ts';
import {
  boss,
  calls,
  instants,
  type Json,
  lastUser,
  limits,
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

test('hostile keys, wrong references, values that are not JSON or too large are refused, and nothing starts', async () => {
  const refused = (given: unknown) => (readShared(given) as { error?: string }).error;
  expect(refused(JSON.parse('{"__proto__": {"admin": true}}'))).toContain('"__proto__" is refused');
  expect(refused({ deep: [{ inner: JSON.parse('{"constructor": 1}') as unknown }] })).toContain(
    'sharedContext.deep[0].inner: the key "constructor"',
  );
  expect(refused({ 'a\n- injected': 1 })).toContain('cannot be a key');
  expect(refused({ $x: 'something' })).toContain('its value is "reference"');
  expect(refused({ $__proto__: 'reference' })).toContain('is refused');
  expect(refused([1])).toContain('must be an object');
  expect(refused({ when: new Date() })).toContain('is not a JSON value');
  expect(refused({ run: () => 1 })).toContain('is not a JSON value');
  expect(refused({ n: Number.NaN })).toContain('not a JSON number');
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
  const way = (handle: string) => ({ words: `Read ${handle}`, handle });
  const before = { values: { goal: 'x', old: 'part', own: 'part' }, handles: { old: '0.8', own: '0.9' } };
  const { values: shared, handles } = snapshot(before, { own: 1 }, [
    { label: 'one', value: long, way: way('0.1') },
    { label: 'two', value: { rows: [long] }, way: way('0.2') },
    { label: 'small', value: { ok: true }, way: way('0.3') },
  ]);
  expect(handles).toEqual({ old: '0.8', one: '0.1', two: '0.2' });
  expect(bytesOf(shared)).toBeLessThanOrEqual(MOST_BYTES);
  expect(Object.keys(shared)).toEqual(['goal', 'old', 'own', 'one', 'two', 'small']);
  expect(shared['one']).toMatch(/bytes\. Read 0\.1 …\]$/);
  expect(shared['small']).toEqual({ ok: true });
  expect(sharedContextText(shared).split('\n')).toHaveLength(7);
});

/** Reads all that it can, then these keys, and tells what it read. */
const reads =
  (keys: readonly string[], seen: Map<string, string>): Model =>
  (request) => {
    const task = request.messages[0]?.role === 'user' ? request.messages[0].text : '';
    if (!request.tools.some(({ name }) => name === 'shared_context')) {
      seen.set(task, `${request.system} | no shared_context`);
      return `did ${task}`;
    }
    if (request.turn === 1) return calls(...[{}, ...keys.map((key) => ({ key }))].map(asked));
    seen.set(task, `${request.system} | ${results(request).join(' | ')}`);
    return `did ${task}`;
  };

const asked = (args: object) => ({ name: 'shared_context', args });

test('the context of a child can be read by children spawned later, after their own, and stands in no prompt of theirs', async () => {
  const seen = new Map<string, string>();
  const first = calls(
    spawn({ task: 'one', label: 'one', sharedContext: { goal: 'ship', tone: 'dry' } }),
    spawn({ task: 'two', label: 'two', chainAfter: 'one', sharedContext: { tone: 'warm', size: 2 } }),
    spawn({ task: 'three', label: 'three', chainAfter: 'two' }),
    spawn({ task: ['four'], parallel: true, label: 'four', chainAfter: 'three', sharedContext: { size: 4 } }),
  );
  const of = boss();
  const b = bench(of, waiting(first, reads(['tone', 'none'], seen)));
  const { events } = await finish(b, start);
  const unknown = (keys: string) => `There is no key "none". Known: ${keys}.`;
  expect(Object.fromEntries(seen)).toEqual({
    one: `[Shared Context]:\n- goal: "ship"\n- tone: "dry"\n\nYou are worker. | {"goal":"ship","tone":"dry"} | "dry" | ${unknown('goal, tone')}`,
    two: `[Shared Context]:\n- tone: "warm"\n- size: 2\n\nYou are worker. | {"tone":"warm","size":2,"goal":"ship"} | "warm" | ${unknown('tone, size, goal')}`,
    three: `You are worker. | {"goal":"ship","tone":"dry","size":2} | "dry" | ${unknown('goal, tone, size')}`,
    four: `[Shared Context]:\n- size: 4\n\nYou are worker. | {"size":4,"goal":"ship","tone":"dry"} | "dry" | ${unknown('size, goal, tone')}`,
  });
  const runs = receipts(events).map(({ run }) => run);
  const shared = await Promise.all(runs.map((run) => getSharedContext(run, b.store)));
  const family = await Promise.all(runs.map((run) => getFamilySharedContext(run, b.store)));
  expect(shared).toEqual([{ goal: 'ship', tone: 'dry' }, { tone: 'warm', size: 2 }, undefined, { size: 4 }]);
  expect(family).toEqual([
    undefined,
    { goal: 'ship' },
    { goal: 'ship', tone: 'dry', size: 2 },
    { goal: 'ship', tone: 'dry' },
  ]);
  expect(await replay(events, of, services)).toMatchObject({ kind: 'identical' });
});

test('a result that an earlier child was given can be read where it was there when the later one began', async () => {
  const seen = new Map<string, string>();
  const first = calls(
    spawn({ task: 'look', label: 'research' }),
    spawn({ task: 'draw', label: 'drawer', sharedContext: { $research: 'reference' } }),
    spawn({ task: 'early', label: 'early' }),
    spawn({ task: 'late', label: 'late', chainAfter: 'drawer' }),
  );
  const of = boss();
  const whole = await finish(bench(of, waiting(first, reads([], seen))), start);
  const told = 'You are worker. | {"research":"did look"}';
  expect(Object.fromEntries(seen)).toMatchObject({
    look: 'You are worker. | no shared_context',
    early: 'You are worker. | no shared_context',
    late: told,
  });
  expect(await replay(whole.events, of, services)).toMatchObject({ kind: 'identical' });
  for (let count = 1; count < whole.events.length; count++) {
    const store = await brokenOff(whole.events, count, whole.run);
    const again = bench(of, waiting(first, reads([], seen)), { store });
    seen.clear();
    expect(await (await again.engine.resume(whole.run)).outcome()).toMatchObject({ kind: 'answered' });
    if (seen.has('late')) expect(seen.get('late')).toBe(told);
  }
});

test('every stage of a spawned chain can read what the family was given', async () => {
  const seen = new Map<string, string>();
  const of = cadre(
    { name: 'boss', spawn: { ...limits, agents: ['worker'] } },
    { name: 'worker', chain: { trigger: 'next', stages: [{ to: 'editor' }], pass: 'answer' } },
    { name: 'editor' },
  );
  const first = calls(spawn({ task: 'one', label: 'one', sharedContext: { goal: 'ship' } }), spawn({ task: 'two' }));
  const model: Model = (request, signal) => {
    if (request.agent === 'worker') return `edit ${lastUser(request)}`;
    return reads(['goal'], seen)(request, signal);
  };
  const { events } = await finish(bench(of, waiting(first, model)), start);
  expect(seen.get('edit two')).toBe('You are editor. | {"goal":"ship"} | "ship"');
  expect(await replay(events, of, services)).toMatchObject({ kind: 'identical' });
});

test('the context of earlier children has a cap of its own, and a part that does not fit is told', () => {
  const long = 'x'.repeat(40_000);
  const gift = (label: string, value: unknown) => ({ label, value, way: { words: 'Ask for it' } });
  const more = Array.from({ length: 200 }, (_, index) => gift(`c${index}`, long));
  const all = collectShared([gift('a', long), gift('own', 1), gift('a', 2), gift('b', long), ...more], {
    own: 0,
  })?.values;
  expect(Object.keys(all ?? {}).slice(0, 2)).toEqual(['a', 'b']);
  expect(all?.['a']).toBe(long);
  expect(all?.['b']).toMatch(/^x+ \[… cut: 40002 bytes\. Ask for it …\]$/);
  const kept = Object.keys(all ?? {}).length - 3;
  expect(all?.['(left out)']).toBe(`Further keys: ${200 - kept}. Together they may have 65536 bytes.`);
  expect(bytesOf(all)).toBeLessThanOrEqual(MOST_BYTES);
  expect(collectShared([gift('own', 1)], { own: 0 })).toBeUndefined();
});

test('a reference is a label or the only beginning of one; an exact label wins, an ambiguous beginning is refused', async () => {
  const systems = new Map<string, string>();
  const errors: unknown[] = [];
  const given = (task: string, sharedContext: object) => spawn({ task, label: task, sharedContext });
  const first = calls(
    spawn({ task: 'look', label: 'researcher' }),
    given('early', { $research: 'reference' }),
    spawn({ task: 'again', label: 'research' }),
    given('exact', { $research: 'reference' }),
    given('unclear', { $res: 'reference' }),
    given('wrong', { $resp: 'reference' }),
  );
  const worker: Model = (request) => {
    systems.set(lastUser(request), request.system);
    return `did ${lastUser(request)}`;
  };
  const of = boss({ maxChildren: 9 });
  const model = waiting(first, worker);
  const { events } = await finish(
    bench(of, (request, signal) => {
      if (request.agent === 'boss' && request.turn === 2)
        errors.push(...results(request).map((text) => (JSON.parse(text) as Json)['error']));
      return model(request, signal);
    }),
    start,
  );
  expect(systems.get('early')).toBe('[Shared Context]:\n- research: "did look"\n\nYou are worker.');
  expect(systems.get('exact')).toBe('[Shared Context]:\n- research: "did again"\n\nYou are worker.');
  expect(errors).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    '"res" is ambiguous: the labels of 2 runs begin with it: researcher, research. Write the whole label.',
    'There is no run "resp" in this family. Known labels: researcher, early, research, exact.',
  ]);
  expect(await replay(events, of, services)).toMatchObject({ kind: 'identical' });
});
