// The contract of an answer that a branch looks at: the output of the upstream's own file, and for each value what the
// agent of its case takes, or what the caller wants where the answer stands.

import type { ConditionalSchema, InputContract, JsonSchema, OutputContract } from '../../kernel/schema.ts';
import { embedSchema } from '../embed-schema.ts';
import { withoutReason } from '../hop.ts';
import type { PatternContext } from '../pattern.ts';
import { type ClosedValue, closedValues, valueIsIn } from './closed-values.ts';
import type { BranchStep, CaseEnd } from './step.ts';

export function branchContract(
  step: BranchStep,
  own: OutputContract,
  context: PatternContext,
  standing: () => OutputContract | undefined,
): OutputContract {
  const closed = closedValues(own.schema ?? true, step.by);
  // The check lets no such file run.
  if (closed.kind === 'open') return own;
  const ends = endsOf(step, closed.values);
  const taken = takenContract(step, own, ends, context);
  const values = ends.flatMap((one) => (one.end === null ? one.values : []));
  const caller = values.length === 0 ? undefined : standing();
  if (caller?.format !== 'json') return taken;
  const { schema, also = [] } = caller;
  const wanted = schema === undefined ? [] : [onlyFor(step, values, schema)];
  const when = valueIsIn(step.by, values);
  const further = also.map((one) => ({ ...one, when: { allOf: [when, one.when] } }));
  return { ...taken, also: [...(taken.also ?? []), ...wanted, ...further] };
}

/** The last one for each step, so that its schemas are compiled once. */
const contracts = new WeakMap<
  BranchStep,
  {
    readonly own: OutputContract;
    readonly inputs: readonly InputContract[];
    readonly contract: OutputContract;
  }
>();

function takenContract(
  step: BranchStep,
  own: OutputContract,
  ends: ReturnType<typeof endsOf>,
  context: PatternContext,
): OutputContract {
  const takers = ends.flatMap(({ end, values }) =>
    end === null ? [] : [{ input: context.card(end.to).input, values }],
  );
  const inputs = takers.map(({ input }) => input);
  const known = contracts.get(step);
  if (known?.own === own && inputs.every((input, index) => input === known.inputs[index])) return known.contract;
  const also = takers.flatMap(({ input, values }) => {
    const schema = takenSchema(step, input);
    return schema === undefined ? [] : [onlyFor(step, values, schema)];
  });
  const contract = also.length === 0 ? own : { ...own, also: [...(own.also ?? []), ...also] };
  contracts.set(step, { own, inputs, contract });
  return contract;
}

const onlyFor = ({ by }: BranchStep, values: readonly ClosedValue[], schema: JsonSchema): ConditionalSchema => ({
  when: valueIsIn(by, values),
  schema,
});

/** The values, by where they lead. */
export function endsOf(
  { cases, otherwise }: BranchStep,
  values: readonly ClosedValue[],
): readonly { readonly end: CaseEnd; readonly values: readonly ClosedValue[] }[] {
  const named = cases.map(({ value, end }) => ({ end, values: values.filter((one) => String(one) === value) }));
  const others = values.filter((one) => !cases.some(({ value }) => value === String(one)));
  const all = otherwise === undefined ? named : [...named, { end: otherwise, values: others }];
  return all.filter((one) => one.values.length > 0);
}

function takenSchema({ pass }: BranchStep, { format, schema }: InputContract): JsonSchema | undefined {
  if (format !== 'json' || schema === undefined) return undefined;
  const taken = withoutReason(schema);
  if (typeof pass === 'string') return taken;
  const at = `/properties/${pass.field.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return { properties: Object.fromEntries([[pass.field, embedSchema(taken, at)]]) };
}
