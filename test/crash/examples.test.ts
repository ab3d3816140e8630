// Every example, killed with kill -9 at random moments and resumed, ends as the undisturbed one.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { replay } from '../../src/engine/history/replay.ts';
import { pinnedCadre, startOf } from '../../src/engine/pinned.ts';
import type { RunEvent } from '../../src/journal/event.ts';
import { services } from '../../src/run/services.ts';
import { cli } from './support/cli.ts';
import { dice, tell } from './support/figures.ts';
import { hurried, type Story, stories } from './support/stories.ts';
import {
  eventsOf,
  killedOften,
  type Moment,
  modelCalls,
  openStore,
  outcomeOf,
  shapeOf,
  type Victim,
} from './support/victim.ts';

/** More rounds for a longer look: CADRE_CRASH_ROUNDS=20. */
const ROUNDS = Number(process.env['CADRE_CRASH_ROUNDS'] ?? 3);
const KILLS_EACH = 8;
const LONGEST_MS = 450;

const figures = { runs: 0, kills: 0, different: 0, finished: 0, cutOff: 0, repeated: 0 };

afterAll(() =>
  tell('Examples under kill -9', [
    ['examples, and cadres of the suite', stories(2).length],
    ['runs killed and resumed to their end', figures.runs],
    ['of these, ended differently from the undisturbed run', figures.different],
    ['kills survived', figures.kills],
    ['model calls finished', figures.finished],
    ['model calls cut off by a kill, and made again', figures.cutOff],
    ['finished model calls repeated', figures.repeated],
  ]),
);

const withStore = async <Value>(use: (store: string) => Promise<Value>): Promise<Value> => {
  const store = mkdtempSync(join(tmpdir(), 'cadre-crash-store-'));
  try {
    return await use(store);
  } finally {
    rmSync(store, { recursive: true, force: true });
  }
};

const commandFor = ({ folder, agent, input }: Story, store: string): readonly string[] => [
  'run',
  join(folder, agent),
  input,
  '--json',
  '--store',
  store,
];

const undisturbed = (story: Story) =>
  withStore(async (dir) => {
    const { stderr } = await cli(commandFor(story, dir));
    const store = openStore(dir);
    const [summary] = await store.list();
    if (summary === undefined) throw new Error(`nothing ran: ${stderr}`);
    return eventsOf(store, summary.run);
  });

/** Half of the kills by the clock, start of the process included, half as soon as an event is seen. */
function moments(seed: number): (kill: number) => Moment | undefined {
  const roll = dice(seed);
  return (kill) => {
    if (kill >= KILLS_EACH) return undefined;
    return roll(2) === 0 ? { ms: roll(LONGEST_MS) } : { events: roll(5) };
  };
}

test.concurrent.each(stories(2))(
  '$name ends the same however often it is killed',
  { timeout: 60_000 * ROUNDS },
  async (story) => {
    const fast = hurried(story);
    const whole = await undisturbed(fast);
    for (let round = 0; round < ROUNDS; round++) {
      const victim = await withStore(async (store) => {
        const found = await killedOften(commandFor(fast, store), store, moments(round * 7919 + story.name.length));
        const cadre = await pinnedCadre(startOf(found.events), openStore(store));
        const again = await replay(found.events, cadre, services);
        expect(again).toEqual({ kind: 'identical', events: found.events.length, ended: true });
        return found;
      });
      count(victim, whole);
      expect(outcomeOf(victim.events)).toEqual(outcomeOf(whole));
      expect(shapeOf(victim.events)).toEqual(shapeOf(whole));
    }
    rmSync(join(fast.folder, '..'), { recursive: true });
  },
);

const sameEnd = (left: readonly RunEvent[], right: readonly RunEvent[]): boolean =>
  isDeepStrictEqual([outcomeOf(left), shapeOf(left)], [outcomeOf(right), shapeOf(right)]);

function count({ kills, events }: Victim, whole: readonly RunEvent[]): void {
  const { finished, cutOff, repeated } = modelCalls(events);
  expect(repeated).toBe(0);
  figures.runs++;
  figures.kills += kills;
  if (!sameEnd(events, whole)) figures.different++;
  figures.finished += finished;
  figures.cutOff += cutOff;
  figures.repeated += repeated;
}
