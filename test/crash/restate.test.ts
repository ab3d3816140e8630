// Every example on two workers of a real Restate behind one address, under kill -9 of workers and of the server: each run
// ends as the local one and replays identically, and no recorded call is made again. One of the two workers has a clock
// that is an hour ahead.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadCadre } from '../../src/definition/load.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { newMessage } from '../../src/engine/handle.ts';
import { replay } from '../../src/engine/history/replay.ts';
import { openEngine } from '../../src/engine/open.ts';
import { pinnedCadre, startOf } from '../../src/engine/pinned.ts';
import { agentIn, inputFor } from '../../src/engine/request.ts';
import type { RunEvent, RunId } from '../../src/journal/event.ts';
import type { RunStore } from '../../src/journal/store.ts';
import { nobodyThere } from '../../src/run/approver.ts';
import { services } from '../../src/run/services.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { noRestate } from '../support/restate.ts';
import { dice, tell } from './support/figures.ts';
import { type RestateFleet, restateFleet } from './support/restate-fleet.ts';
import { hurried, type Story, stories } from './support/stories.ts';
import { eventsOf, modelCalls, outcomeOf, shapeOf } from './support/victim.ts';

/**
 * The number of rounds. `npm test` plays a few stories, once; `npm run reliability` plays all of them, several times.
 */
const ASKED = process.env['CADRE_CRASH_ROUNDS'];
const ROUNDS = Number(ASKED ?? 1);
const STORIES = ASKED === undefined ? stories(1).slice(0, 2) : stories(2);
const RUNS_EACH = 6;
/** After so many kills and crashes the runs are left in peace. */
const DISTURBED = ASKED === undefined ? 6 : 30;
const HOUR_MS = 3_600_000;

const figures = { runs: 0, different: 0, kills: 0, serverCrashes: 0, finished: 0, cutOff: 0, repeated: 0 };

describe.skipIf(noRestate !== undefined)(`a real Restate${noRestate === undefined ? '' : ` (${noRestate})`}`, () => {
  let fleet: RestateFleet;
  beforeAll(async () => {
    fleet = await restateFleet();
  });
  afterAll(async () => {
    await fleet.close();
    tell('Restate: two workers, under kill -9 of workers and of the server', [
      ['stories', STORIES.length],
      ['runs brought to their end', figures.runs],
      ['of these, ended differently from the local run', figures.different],
      ['kills survived', figures.kills],
      ['crashes of the Restate server survived', figures.serverCrashes],
      ['hours by which the clock of one worker was ahead', HOUR_MS / 3_600_000],
      ['model calls finished', figures.finished],
      ['model calls cut off by a kill, and made again', figures.cutOff],
      ['finished model calls repeated', figures.repeated],
    ]);
  });

  // Restate gives up a silent attempt after two minutes: a run that waits for that is over time here.
  test.each(STORIES)('$name ends the same on workers that are killed', { timeout: 100_000 * ROUNDS }, async (story) => {
    const fast = hurried(story);
    const whole = await local(fast);
    for (let round = 0; round < ROUNDS; round++) await disturbed(fast, whole, dice(round * 7919 + story.name.length));
    rmSync(join(fast.folder, '..'), { recursive: true });
  });

  async function disturbed(story: Story, whole: readonly RunEvent[], roll: (below: number) => number): Promise<void> {
    const { server, store } = fleet;
    const engine = await engineFor(story, store);
    const begin = (place: number) => fleet.begin(place, story.folder, place === 1 ? HOUR_MS : undefined);
    await Promise.all([begin(0), begin(1)]);
    await fleet.well(2);
    const runs = await Promise.all(Array.from({ length: RUNS_EACH }, () => start(story, engine)));
    const ending = Promise.all(runs.map((run) => Promise.all([engine.outcome(run), denyAll(run, engine)])));
    let isOver = false;
    ending.finally(() => (isOver = true)).catch(() => {});
    for (let step = 0; step < DISTURBED && !isOver; step++) {
      await Promise.race([setTimeout(50 + roll(400)), ending]);
      if (isOver) break;
      if (step % 6 === 1) {
        await server.crash();
        await server.start();
        figures.serverCrashes++;
        continue;
      }
      const place = roll(2);
      await fleet.kill(place);
      figures.kills++;
      await begin(place);
    }
    await ending;
    for (const run of runs) await count(run, store, whole);
    await fleet.killAll();
    await engine.close();
  }
});

const engineFor = async (story: Story, store: RunStore): Promise<Engine> =>
  openEngine(await loadCadre(story.folder), { store, approve: nobodyThere, warn() {} });

async function start(story: Story, engine: Engine): Promise<RunId> {
  const cadre = engine.own?.recordable;
  if (cadre === undefined) throw new Error('no cadre');
  const agent = agentIn(cadre, story.agent.replace(/\.md$/, ''));
  return engine.start({ agent: agent.name, input: inputFor(agent, story.input) });
}

async function local(story: Story): Promise<readonly RunEvent[]> {
  const store = memoryStore();
  const engine = await engineFor(story, store);
  const run = await start(story, engine);
  await engine.outcome(run);
  await engine.close();
  return eventsOf(store, run);
}

/** Answers as nobody does in a run without a person. */
async function denyAll(run: RunId, engine: Engine): Promise<void> {
  const { approved, note } = (await nobodyThere('', null, new AbortController().signal, { run, op: '' })) ?? {};
  for await (const event of engine.events(run)) {
    if (event.type !== 'op-start' || event.op.kind !== 'approval') continue;
    const verdict = { kind: 'verdict', op: event.path, approved: approved === true, ...(note && { note }) } as const;
    await engine.control(run, newMessage(verdict)).catch(() => {}); // decided already, before a crash
  }
}

async function count(run: RunId, store: RunStore, whole: readonly RunEvent[]): Promise<void> {
  const events = await eventsOf(store, run);
  const again = await replay(events, await pinnedCadre(startOf(events), store), services);
  expect(again).toEqual({ kind: 'identical', events: events.length, ended: true });
  const { finished, cutOff, repeated } = modelCalls(events);
  figures.runs++;
  figures.finished += finished;
  figures.cutOff += cutOff;
  figures.repeated += repeated;
  const isSame = isDeepStrictEqual([outcomeOf(events), shapeOf(events)], [outcomeOf(whole), shapeOf(whole)]);
  if (!isSame) figures.different++;
  expect(repeated).toBe(0);
  expect(shapeOf(events)).toEqual(shapeOf(whole));
  expect(outcomeOf(events)).toEqual(outcomeOf(whole));
  const times = events.map(({ at }) => at);
  expect(times).toEqual(times.toSorted((left, right) => left - right));
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeLessThan(HOUR_MS / 2); // the wrong clock is in no record
}
