// Two runs side by side.

import type { Address } from '../../app/addresses.ts';
import { useRun } from '../../data/runs-in-use.ts';

export const DiffScreen = (props: { readonly left: string; readonly right: string; readonly address: Address }) => {
  const left = useRun(props.left);
  const right = useRun(props.right);
  return (
    <div class="panel-body">
      {left.count.value} and {right.count.value} events
    </div>
  );
};
