// The forms of `next` and `handoff`. All are read as stages: who runs, and who runs if that one does not answer.

import type { YamlNode } from '../../yaml/node.ts';
import { byForm, choice, list, type Reading, type Ref, ref, type Shape } from './shape.ts';
import { key, object, refined } from './shape-object.ts';

export interface StageRefs {
  readonly to: Ref;
  readonly else?: Ref;
}

export interface ChainRefs {
  readonly stages: readonly StageRefs[];
  readonly pass: 'answer' | 'request+answer';
  /** Further entries of a list, which are not used. */
  readonly ignored: readonly Ref[];
}

const to = key(ref, 'Who runs on the answer.');
const orElse = key(ref, 'Who runs when that one does not answer.');

const one = (stage: StageRefs): ChainRefs => ({ stages: [stage], pass: 'answer', ignored: [] });

const single = refined(ref, (only) => one({ to: only }));

const several = refined(list(ref, { min: 1 }), ([first, ...ignored]): ChainRefs | undefined =>
  first === undefined ? undefined : { ...one({ to: first }), ignored },
);

const stage: Shape<StageRefs> = byForm({
  scalar: refined(ref, (only): StageRefs => ({ to: only })),
  map: refined(object({ to: { ...to, required: true }, else: orElse }), (value) => stageOf(value)),
});

const staged = refined(
  object({
    to,
    else: orElse,
    sequence: key(list(stage, { min: 1 }), 'Run in order, each on the answer of the one before.'),
  }),
  (value, node, path, reading): ChainRefs | undefined => {
    const single = stageOf(value);
    if (
      (value.sequence === undefined) === (single === undefined) ||
      (value.sequence !== undefined && value.else !== undefined)
    ) {
      return eitherToOrSequence(node, path, reading);
    }
    if (single !== undefined) return one(single);
    return { stages: value.sequence ?? [], pass: 'answer', ignored: [] };
  },
);

export const chainShape: Shape<ChainRefs> = byForm({ scalar: single, list: several, map: staged });

export const handoffShape: Shape<ChainRefs> = byForm({
  scalar: single,
  map: refined(
    object({
      to: { ...to, required: true },
      pass: key(choice(['answer', 'request+answer']), 'What is handed on.', { fallback: 'answer' as const }),
      else: orElse,
    }),
    (value): ChainRefs | undefined => {
      const only = stageOf(value);
      return only === undefined ? undefined : { ...one(only), pass: value.pass ?? 'answer' };
    },
  ),
});

function stageOf(value: { readonly to?: Ref; readonly else?: Ref }): StageRefs | undefined {
  if (value.to === undefined) return undefined;
  return value.else === undefined ? { to: value.to } : { to: value.to, else: value.else };
}

function eitherToOrSequence(node: YamlNode, path: string, reading: Reading): undefined {
  const keys = node.kind === 'map' ? [...node.entries.keys()] : [];
  // A wrong `to` or `sequence` has been reported already.
  const reported = keys.length === 1 && (keys[0] === 'to' || keys[0] === 'sequence');
  if (reported) return undefined;
  reading.report({
    code: 'chain/form',
    source: reading.source,
    at: node,
    message: `\`${path}\` takes either to (with else), or sequence`,
    help: 'Write {to: a, else: b}, or {sequence: [a, {to: b, else: c}]}.',
  });
  return undefined;
}
