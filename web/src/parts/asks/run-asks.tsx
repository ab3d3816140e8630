// The question of a run, wherever the run is looked at: the first that waits, until the person goes to another one. One
// that was decided stays until the person leaves it.

import { type Signal, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { address } from '../../app/router.ts';
import { useOwnApprovals } from '../../data/asked.ts';
import type { RunData } from '../../data/run-data.ts';
import { Asks } from './asks.tsx';
import { nextAfter } from './next-one.tsx';

const shownIn = new WeakMap<RunData, Signal<string | undefined>>();

function shownQuestion(data: RunData): Signal<string | undefined> {
  const known = shownIn.get(data) ?? signal<string | undefined>(undefined);
  shownIn.set(data, known);
  return known;
}

/** The ops of the run that wait for a person now. None while the run is shown as it was earlier. */
export function useWaiting(data: RunData): readonly string[] {
  const { waiting } = useOwnApprovals(data).value;
  return data.shownAt.value === undefined ? waiting.map(({ path }) => path) : [];
}

/** `run` is its whole id, as the list of approvals has it. */
export const RunAsks = ({
  data,
  run,
  layout = 'wide',
}: {
  readonly data: RunData;
  readonly run: string;
  readonly layout?: 'wide' | 'box';
}) => {
  const shown = shownQuestion(data);
  const waiting = useWaiting(data);
  const { selected } = address.value;
  const chosen = selected?.kind === 'op' && waiting.includes(selected.path) ? selected.path : undefined;
  const path = shown.value ?? chosen ?? waiting[0];
  useEffect(() => {
    shown.value = path;
  }, [path]);
  useEffect(() => {
    if (chosen !== undefined) shown.value = chosen;
  }, [chosen]);
  useEffect(
    () => () => {
      shown.value = undefined;
    },
    [data],
  );
  if (path === undefined || data.shownAt.value !== undefined) return null;
  const at = { run, path };
  return (
    <Asks
      {...at}
      data={data}
      layout={layout}
      step={nextAfter(at, (next) => {
        shown.value = next.path;
      })}
      onClose={() => {
        shown.value = undefined;
      }}
    />
  );
};
