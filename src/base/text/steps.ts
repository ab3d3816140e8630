// Work that may rest: written once, and done at once or in slices.

export type RestingWork<Value> = Generator<undefined, Value, undefined>;

export function atOnce<Value>(steps: RestingWork<Value>): Value {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
