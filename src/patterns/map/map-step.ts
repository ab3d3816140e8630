// A step of a chain that runs an agent for each item of a list.

import type { AgentName } from '../../kernel/effect.ts';
import type { JsonSchema, OutputContract } from '../../kernel/schema.ts';
import { type Cost, NO_COST, type PatternBounds, sumOf, timesCost } from '../bounds.ts';
import type { StepKind } from '../chain-step.ts';
import { withoutReason } from '../hop.ts';
import type { KeysForm } from '../key-form.ts';
import type { PatternContext } from '../pattern.ts';
import { checkMap, mapResults } from './check.ts';
import { describedList, heldTo, MOST_ITEMS } from './list.ts';
import type { MapStep } from './map.ts';
import { resultSchema } from './result.ts';
import { runMap } from './run-map.ts';

const form: KeysForm = {
  kind: 'keys',
  keys: {
    each: {
      form: { kind: 'text' },
      guidance: 'The property of the answer that holds the list; $ where the answer is the list.',
      required: true,
    },
    to: { form: { kind: 'agent', role: 'worker' }, guidance: 'Runs once for each item.', required: true },
    max: {
      form: { kind: 'integer', min: 1, max: MOST_ITEMS },
      guidance: 'The most items. Not needed where the schema has maxItems; the smaller one counts.',
    },
    concurrent: {
      form: { kind: 'integer', min: 1, max: 64 },
      guidance: 'So many items are at work at once.',
      fallback: 4,
    },
    failures: {
      form: { kind: 'integer', min: 0, max: MOST_ITEMS, orWord: 'keep' },
      guidance: 'keep: an item that fails is a part of the result; or how many may fail, one more cancels the rest.',
      fallback: 'keep',
    },
    pass: {
      form: { kind: 'choice', of: ['item', 'request+item'] },
      guidance: 'What the worker gets.',
      fallback: 'item',
    },
    join: { form: { kind: 'agent', role: 'join' }, guidance: 'Runs on all results, in the order of the list.' },
  },
};

/** The schema of the result of every map. */
const ANY_RESULT = resultSchema(true, true, undefined);

interface WrittenMap extends Omit<Partial<MapStep>, 'failures'> {
  readonly each: string;
  readonly to: AgentName;
  readonly failures?: number | 'keep';
}

export const mapStep: StepKind<MapStep> = {
  kind: 'map',
  sign: 'each',
  form,
  stepOf(value) {
    const { each, to, max, concurrent = 4, failures = 'keep', pass = 'item', join } = value as unknown as WrittenMap;
    return {
      kind: 'map',
      each,
      to,
      ...(max !== undefined && { max }),
      concurrent,
      failures: failures === 'keep' ? MOST_ITEMS : failures,
      pass,
      ...(join !== undefined && { join }),
    };
  },
  settled,
  edges({ to, max, join }, _label, trigger) {
    const times = max ?? MOST_ITEMS;
    const label = max === undefined ? 'each' : `each ×${max}`;
    const worker = { to, role: 'worker', trigger: 'each', label, times };
    return join === undefined ? [worker] : [worker, { to: join, role: 'join', trigger, label: 'join' }];
  },
  says: ({ each, to }) => `${to}, for each of \`${each}\`,`,
  answerers: ({ join }) => (join === undefined ? [] : [join]),
  made: ({ join }) => (join === undefined ? ANY_RESULT : undefined),
  results: mapResults,
  mayStand: () => false,
  seat: ({ join, each }) =>
    join === undefined
      ? {
          kind: 'undefined',
          why: `ends with a map over \`${each}\` without \`join\`: nobody would sit in the team`,
          help: 'Give the map a join, or an agent after it.',
        }
      : { kind: 'passed', to: join },
  bound: boundOfMap,
  contract: contractOf,
  run: runMap,
  check: checkMap,
};

/** The largest list that the map may get: by `max`, and by the schema of each answer. */
function settled(step: MapStep, answers: readonly (JsonSchema | undefined)[]): MapStep {
  const longest = answers.map((schema) => {
    const list = schema === undefined ? undefined : describedList(schema, step.each);
    return Math.min(step.max ?? Infinity, (list?.kind === 'list' ? list.maxItems : undefined) ?? Infinity);
  });
  const max = Math.max(...longest);
  return max > MOST_ITEMS || longest.length === 0 ? step : { ...step, max };
}

function boundOfMap({ to, join, max }: MapStep, { run, end }: PatternBounds, isLast: boolean): Cost {
  const joined = join === undefined ? NO_COST : isLast ? end(join) : run(join);
  return sumOf([timesCost(max ?? MOST_ITEMS, run(to)), joined]);
}

const contracts = new WeakMap<MapStep, WeakMap<OutputContract, OutputContract>>();

/** The same object for the same file, so that every session offers the same tools. */
function contractOf(step: MapStep, own: OutputContract, { card }: PatternContext): OutputContract {
  const known = contracts.get(step) ?? new WeakMap<OutputContract, OutputContract>();
  contracts.set(step, known);
  const { input } = card(step.to);
  const item = input.format === 'json' && input.schema !== undefined ? withoutReason(input.schema) : undefined;
  const held = known.get(own) ?? heldTo(own, { each: step.each, max: step.max, item });
  known.set(own, held);
  return held;
}
