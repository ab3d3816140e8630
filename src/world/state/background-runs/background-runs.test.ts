// Background runs, asked by hand: a test performs an effect and adds the event that a recorder would record.

import { expect, test } from 'vitest';
import { answered } from '../../../../test/support/by-hand.ts';
import type { InstantOp } from '../../../journal/event.ts';
import type { EffectOf, EffectValues, SettledResult } from '../../../kernel/effect.ts';
import { fault } from '../../../kernel/fault.ts';
import { brokenOutcome, type Outcome } from '../../../kernel/outcome.ts';
import { type SpawnReport, spawnedSession } from '../../../kernel/spawned.ts';
import { Stop } from '../../abort.ts';
import { openOp } from '../../drive.ts';
import type { World } from '../../world.ts';
import { openBackgroundRuns } from './background-runs.ts';
import type { BackgroundEffect } from './background-state.ts';
import { nothingOutside } from './outside-runs.ts';

const limits = { maxDepth: 2, maxChildren: 4, maxTotal: 5, maxConcurrent: 1 };
const nowhere = {} as World;

function open() {
  const background = openBackgroundRuns({ run: 'r1', outside: nothingOutside, now: () => 5 });
  let seq = 0;
  const op = (path: string, run?: string) => {
    const scope = { agent: 'boss', depth: 0, ...(run !== undefined && { spawned: { run, depth: 1 } }) };
    return openOp(path, { path, scope, signal: new Stop() }, nowhere);
  };
  const record = (path: string, { kind, ...detail }: BackgroundEffect, value: unknown): void => {
    background.add({ type: 'op', seq: seq++, at: 5, path, kind, detail, value } as InstantOp);
  };
  const perform = <Kind extends BackgroundEffect['kind']>(effect: EffectOf<Kind>, path = '0.9', by?: string) =>
    background.perform(effect as BackgroundEffect, op(path, by)) as Promise<SettledResult<EffectValues[Kind]>>;
  return {
    background,
    perform,
    /** Spawns a run, as a session does, and gives its id. */
    async spawn(path: string, label: string, more: Partial<EffectOf<'spawn'>> = {}) {
      const orders = [{ label, agent: 'ann', after: [] }];
      const effect: BackgroundEffect = { kind: 'spawn', session: '0', orders, limits, ...more };
      const settled = await background.perform(effect, op(path));
      if (!settled.ok) throw new Error(settled.fault.message);
      const { receipts } = settled.value as EffectValues['spawn'];
      record(path, effect, settled.value);
      return receipts.map((receipt) => (receipt.status === 'accepted' ? receipt.run : receipt.error));
    },
    /** A run asks for its slot. `log` says when it got one. */
    begin(run: string, log: string[]) {
      const effect: BackgroundEffect = { kind: 'begin', run };
      return perform<'begin'>({ kind: 'begin', run }).then((settled) => {
        const begun = settled.ok ? settled.value : { began: false };
        log.push(`${begun.began ? 'began' : 'did not begin'} ${run}`);
        record(`${run.slice(3)}.0`, effect, begun);
        return begun;
      });
    },
    announce(run: string, end: Outcome = answered('done')): void {
      record(`${run.slice(3)}.2`, { kind: 'announce', run, to: '0', text: '', end }, null);
    },
    wait: (runs: readonly string[], need: number, by?: string) =>
      perform<'await-runs'>({ kind: 'await-runs', runs, need }, '0.8', by),
  };
}

const rested = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a run that waits for its child gives up its slot, and comes back before those that have not begun', async () => {
  const { spawn, begin, announce, wait } = open();
  const log: string[] = [];
  const [parent = ''] = await spawn('0.1', 'parent');
  const [child = ''] = await spawn('0.2', 'child');
  await begin(parent, log);
  const waited = wait([child], 1, parent).then(() => void log.push('parent goes on'));
  await begin(child, log); // in the slot that the parent gave up
  const [third = ''] = await spawn('0.3', 'third');
  const [fourth = ''] = await spawn('0.4', 'fourth');
  const queued = [begin(third, log), begin(fourth, log)];
  announce(child);
  await rested();
  expect(log).toEqual([`began ${parent}`, `began ${child}`, `began ${third}`]);
  announce(third);
  await rested();
  expect(log.slice(3)).toEqual(['parent goes on']);
  announce(parent);
  await Promise.all([waited, ...queued]);
  expect(log.slice(4)).toEqual([`began ${fourth}`]);
});

test('a run that a spawned run has spawned is below the session that spawned the first, also where that was asked again', async () => {
  const { spawn, perform } = open();
  const [parent = ''] = await spawn('0.7.1', 'parent', { session: '0.3' }); // asked again, it works at another path
  const [child = ''] = await spawn('0.7.1.0.4', 'child', { session: spawnedSession('0.7.1.0', false) });
  const other = await spawn('0.8', 'other', { session: '0.5' });
  const below = await perform<'runs'>({ kind: 'runs', below: '0.3' });
  expect(below.ok && below.value.map(({ run }) => run)).toEqual([parent, child]);
  expect(other).toHaveLength(1);
});

test('the runs that are over for those that wait are the announced ones, with their states', async () => {
  const { spawn, begin, announce, wait } = open();
  const [one = '', two = ''] = await spawn('0.1', '', {
    orders: ['one', 'two'].map((label) => ({ label, agent: 'ann', after: [] })),
  });
  await begin(one, []);
  let over: readonly SpawnReport[] | undefined;
  const any = wait([one, two], 1).then((settled) => void (over = settled.ok ? settled.value.runs : undefined));
  await rested();
  expect(over).toBeUndefined();
  announce(one, brokenOutcome(fault('timeout', 'late')));
  await any;
  expect(over?.map(({ label, state }) => `${label} ${state}`)).toEqual(['one timed-out', 'two queued']);
});

test('limits count what is accepted in the same step, and a run that is over leaves room for another child', async () => {
  const { spawn, announce } = open();
  const orders = ['a', 'b', 'c', 'd', 'e'].map((label) => ({ label, agent: 'ann', after: [] }));
  const [first = '', , , , fifth] = await spawn('0.1', '', { orders });
  expect(fifth).toBe('There are 4 unfinished children of this session, and spawn.maxChildren allows 4.');
  announce(first);
  expect(await spawn('0.2', 'f')).toEqual(['r1~0.2.0']);
  announce('r1~0.2.0');
  expect(await spawn('0.3', 'g')).toEqual(['There are 5 spawned runs in this run, and spawn.maxTotal allows 5.']);
});

test('runs that other sessions spawned are no children of this one', async () => {
  const { spawn } = open();
  const orders = ['a', 'b', 'c'].map((label) => ({ label, agent: 'ann', after: [] }));
  await spawn('0.1', '', { orders });
  expect(await spawn('0.2', 'd', { session: '0.1.0' })).toEqual(['r1~0.2.0']);
  const [, over] = await spawn('0.3', '', {
    session: '0.1.0',
    orders,
    limits: { ...limits, maxTotal: 9, maxChildren: 2 },
  });
  expect(over).toBe('There are 2 unfinished children of this session, and spawn.maxChildren allows 2.');
});

test('a run that waits for others names those that are not over, and has a session of its own', async () => {
  const { perform, spawn, announce } = open();
  const [first = '', second = ''] = await spawn('0.1', '', {
    orders: ['a', 'b'].map((label) => ({ label, agent: 'ann', after: [] })),
  });
  announce(first);
  const settled = await perform<'spawn'>(
    { kind: 'spawn', session: '0', orders: [{ label: 'c', agent: 'ann', after: [first, second] }], limits },
    '0.2',
  );
  expect(settled).toMatchObject({
    ok: true,
    value: { receipts: [{ status: 'accepted', run: 'r1~0.2.0', waitingFor: [second] }] },
  });
  const free = await perform<'spawn'>(
    { kind: 'spawn', session: '0', orders: [{ label: 'd', agent: 'ann', after: [] }], limits },
    '0.3',
  );
  expect(JSON.stringify(free)).not.toContain('waitingFor');
});

test('cancelling reaches a run that queues, and is answered when its end is announced', async () => {
  const { spawn, begin, announce, perform } = open();
  const log: string[] = [];
  const [one = ''] = await spawn('0.1', 'one');
  const [two = ''] = await spawn('0.2', 'two');
  await begin(one, log);
  const queued = begin(two, log);
  const cancelled = perform<'cancel-runs'>({ kind: 'cancel-runs', runs: [two], reason: 'enough' });
  expect(await queued).toMatchObject({ began: false, fault: { code: 'cancelled', message: 'enough' } });
  let isAnswered = false;
  void cancelled.then(() => (isAnswered = true));
  await rested();
  expect(isAnswered).toBe(false);
  announce(two, brokenOutcome(fault('cancelled', 'enough')));
  expect(await cancelled).toMatchObject({ value: [{ run: two, state: 'cancelled' }] });
});

test('after a graceful stop no run begins, and those at work are left to finish', async () => {
  const { background, spawn, begin } = open();
  const log: string[] = [];
  const [one = ''] = await spawn('0.1', 'one');
  const [two = ''] = await spawn('0.2', 'two');
  await begin(one, log);
  const signal = background.opened(
    one,
    openOp('0.1.0.1', { path: '', scope: { agent: '', depth: 0 }, signal: new Stop() }, nowhere),
  );
  const queued = begin(two, log);
  background.stop('time to go');
  await queued;
  expect(log).toEqual([`began ${one}`, `did not begin ${two}`]);
  expect(signal.aborted).toBe(false);
});

test('a failure ends every wait, and each one that is begun after it', async () => {
  const { background, spawn, wait } = open();
  const [one = ''] = await spawn('0.1', 'one');
  const waiting = wait([one], 1);
  background.fail(new Error('the disk is full'));
  await expect(waiting).rejects.toThrow('the disk is full');
  await expect(wait([one], 1)).rejects.toThrow('the disk is full');
});

test('a message goes to the session of a run that is not over', async () => {
  const { spawn, announce, perform } = open();
  const [one = ''] = await spawn('0.1', 'one');
  expect(await perform<'send'>({ kind: 'send', run: one, text: 'hi' })).toMatchObject({
    value: { to: '0.1.0.1', state: 'queued' },
  });
  announce(one);
  expect(await perform<'send'>({ kind: 'send', run: one, text: 'hi' })).toMatchObject({
    value: { to: null, state: 'answered' },
  });
});
