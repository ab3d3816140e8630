// Moments that no race hits by chance: a maker is stopped half-way, and somebody else acts there.

import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { allOf, faultCode, runStart, wholeRun } from '../store.conformance.ts';
import { type Claim, claimsOf } from './claims.ts';
import { fileStore } from './file.ts';
import { runFolder } from './folder.ts';
import { openLease } from './lease.ts';
import { listing } from './listing.ts';
import { repeatWriter } from './repeats.ts';
import { runIndex } from './run-index.ts';
import { emptyTally } from './summary.ts';
import { type Writers, writersIn } from './writers.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cadre-claims-'));
  mkdirSync(join(dir, 'runs', 'r1'), { recursive: true }); // all that the maker has done so far
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const folder = () => runFolder(join(dir, 'runs'), 'r1');
const open = (claim: Claim) =>
  openLease(
    'r1',
    { folder: folder(), claim, tally: emptyTally('r1'), repeats: repeatWriter(), torn: 0 },
    runIndex(dir),
    'never',
  );
/** Somebody who looks at the places, once, just before the maker goes on. */
const overtakenIn = (makerGoesOn: () => void): Writers => {
  const writers = writersIn(join(dir, 'writers'));
  let looks = 0;
  return {
    hold: (run) => writers.hold(run),
    held() {
      const held = writers.held();
      if (looks++ === 0) makerGoesOn();
      return held;
    },
  };
};
const makerGoesOn = (): void => {
  writersIn(join(dir, 'writers')).hold('r1');
  writeFileSync(folder().events, `${JSON.stringify(runStart('r1'))}\n`);
};

test('a maker that was overtaken between its folder and its journal is refused, and writes nothing', async () => {
  const store = fileStore(dir);
  const overtaker = await store.claim('r1', 0);
  const { giveBack } = writersIn(join(dir, 'writers')).hold('r1');
  expect(() => open({ journal: 'new', giveBack })).toThrow(faultCode('run/locked'));
  giveBack();
  await overtaker.append(wholeRun('r1'));
  await overtaker.release();
  expect(await allOf(store, 'r1')).toEqual(wholeRun('r1'));
});

test('whoever looks at the places just before the maker has one is refused at the journal', async () => {
  const claim = claimsOf(overtakenIn(makerGoesOn)).takeUp('r1', folder());
  expect(claim.journal).toBe('missing');
  expect(() => open(claim)).toThrow(faultCode('run/locked'));
  claim.giveBack();
  expect(await allOf(fileStore(dir), 'r1')).toHaveLength(1);
});

test('a run that is made while a list looks at the places is running, not broken off', async () => {
  const { list } = listing(join(dir, 'runs'), runIndex(dir), claimsOf(overtakenIn(makerGoesOn)));
  expect(await list({})).toMatchObject([{ run: 'r1', state: 'running' }]);
});

test('a run that ends while a list looks for its holder has ended, and was not broken off', async () => {
  const [begin, ...others] = wholeRun('r1');
  writeFileSync(folder().events, `${JSON.stringify(begin)}\n`);
  const writers = writersIn(join(dir, 'writers'));
  let looks = 0;
  const ends = (): void => {
    if (looks++ === 1) for (const event of others) appendFileSync(folder().events, `${JSON.stringify(event)}\n`);
  };
  const claims = claimsOf({ hold: writers.hold, held: () => (ends(), new Map()) });
  expect(await listing(join(dir, 'runs'), runIndex(dir), claims).list({})).toMatchObject([{ state: 'ended' }]);
  expect(looks).toBe(2);
});

test('a run that was taken for free a moment ago, and is taken up, is running in the next list', async () => {
  const store = fileStore(dir);
  const lease = await store.claim('r1', 0);
  await lease.append([runStart('r1')]);
  await lease.release();
  expect(await store.list()).toMatchObject([{ state: 'broken-off' }]);
  const again = await store.claim('r1', 1);
  expect(await store.list()).toMatchObject([{ state: 'running' }]);
  await again.release();
  expect(await store.list()).toMatchObject([{ state: 'broken-off' }]);
});
