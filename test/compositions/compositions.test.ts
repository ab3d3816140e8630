// A folder that passes the check runs well: any folder, any answers of models, tools and people, a crash anywhere.
// npm run compositions -- --runs 10000 --seed 1

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { OpDetail, RunEvent } from '../../src/journal/event.ts';
import { isHelper } from '../../src/kernel/subagent.ts';
import { CATALOG } from '../../src/patterns/catalog.ts';
import { tell } from '../crash/support/figures.ts';
import { type Composition, compositions, isRace, render } from './composition.ts';
import { EXTRAS, PATTERNS } from './folder.ts';
import { obeysLaws } from './laws.ts';
import { checkedCadre } from './play.ts';

const RUNS = Number(process.env['COMPOSITIONS'] ?? 100);
const SEED = Number(process.env['COMPOSITIONS_SEED'] ?? 1);

/** Events that must have happened in so many compositions: else they hold nothing to the laws. */
const HUNDRED = [
  'run call',
  'run next',
  'run handoff',
  'run advisor',
  'run member',
  'tool',
  'end answered',
  'end failed',
];
const THOUSAND = [
  ...CATALOG.flatMap(({ triggers }) => Object.keys(triggers)).map((kind) => `run ${kind}`),
  'a helper in a process',
  'compaction',
  'a skill that is given',
  'a picture that came with the request',
  'a picture of a tool',
  'a call that a rule denied',
  'say',
  'approval',
  'end cancelled',
  'end exhausted',
  'end over-budget',
];

const sound = compositions.filter((one) => checkedCadre(one) !== undefined);

function nameOf(op: OpDetail): string {
  if (op.kind === 'model' && op.compact !== undefined) return 'compaction';
  if (op.kind === 'run') return `run ${op.trigger.kind}`;
  const isApart = op.kind === 'model' && isHelper(op.agent) && op.models.some((model) => model.startsWith('helper/'));
  return isApart ? 'a helper in a process' : op.kind;
}

/** The things that an event shows beside its kind. */
function* shownIn(event: RunEvent): Generator<string> {
  if (event.type === 'run-start' && event.input.files !== undefined) yield 'a picture that came with the request';
  if (event.type === 'op-start' && event.op.kind === 'tool' && event.op.call.name === 'use_skill')
    yield 'a skill that is given';
  if (event.type !== 'op-end' || event.kind !== 'tool') return;
  const text = JSON.stringify(event.result);
  if (text.includes('"digest"')) yield 'a picture of a tool';
  if (text.includes('tool/denied')) yield 'a call that a rule denied';
}

test('every pattern of the catalog is composed', () => {
  const keys = [...Object.values(PATTERNS), ...Object.values(EXTRAS)].flatMap((make) =>
    Object.keys((make as (...given: readonly unknown[]) => object)(1, 2)),
  );
  expect(CATALOG.map(({ key }) => key).filter((key) => !keys.includes(key))).toEqual([]);
});

test(`${RUNS} random compositions obey the laws`, async () => {
  const seen = new Map<string, number>();
  const note = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1);
  await fc.assert(
    fc.asyncProperty(sound, async (composition: Composition) => {
      const cadre = checkedCadre(composition);
      if (cadre === undefined) throw new Error('it was checked');
      try {
        note(isRace(composition, cadre) ? 'compositions with a race' : 'compositions without a race');
        for (const event of await obeysLaws(composition, cadre)) {
          for (const what of shownIn(event)) note(what);
          if (event.type === 'op-start') note(nameOf(event.op));
          if (event.type === 'run-end') note(`end ${event.outcome.kind}`);
        }
      } catch (thrown) {
        throw new Error(`${(thrown as Error).message}\n\n${render(composition)}`, { cause: thrown });
      }
    }),
    { numRuns: RUNS, seed: SEED, path: process.env['COMPOSITIONS_PATH'] ?? '' },
  );
  tell(
    'Compositions',
    [...seen].sort(([one], [other]) => (one < other ? -1 : 1)),
  );
  const wanted = RUNS >= 1000 ? [...HUNDRED, ...THOUSAND] : RUNS >= 100 ? HUNDRED : [];
  expect(wanted.filter((kind) => !seen.has(kind))).toEqual([]);
}, 3_600_000);
