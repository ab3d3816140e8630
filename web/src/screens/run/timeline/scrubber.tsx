// Time travel: a slider over the events of the run. While it stands before the end, tree, conversation and team are shown
// as they were then.

import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { setQuery } from '../../../app/router.ts';
import { Button } from '../../../parts/controls.tsx';
import { seconds } from '../../../parts/times.tsx';
import type { RunView } from '../run-view.ts';

/** Counts how often the slider was asked for since it was put away. It is shown if it was, and has the focus each time. */
const scrubbing = signal(0);

export const startScrubbing = (): void => {
  scrubbing.value++;
};

export const Scrubber = ({ view, live }: { readonly view: RunView; readonly live: boolean }) => {
  const { data } = view;
  const all = data.count.value;
  const at = data.shownAt.value;
  const slider = useRef<HTMLInputElement>(null);
  const asked = scrubbing.value;
  useEffect(() => {
    if (asked > 0) slider.current?.focus();
  }, [asked]);
  if (asked === 0 && at === undefined) return null;
  const shown = Math.min(at ?? all, all);
  const [first, last] = [data.events[0], data.events[shown - 1]];
  return (
    <div class="scrub line gaps-12 ruled-above">
      <strong class="small-text">As it was</strong>
      <input
        ref={slider}
        type="range"
        aria-label="The run as it was after so many events"
        aria-valuetext={`after event ${shown - 1} of ${all - 1}`}
        min={1}
        max={Math.max(1, all)}
        value={shown}
        onInput={(event) => showAt(view, Number(event.currentTarget.value))}
      />
      <span class="num small-text soft">
        event {shown - 1} of {all - 1}
        {first !== undefined && last !== undefined && `, +${seconds(last.at - first.at)}`}
      </span>
      <Button size="small" onPress={() => putAway(view)}>
        {live ? 'Back to now' : 'Back to the end'}
      </Button>
    </div>
  );
};

function putAway(view: RunView): void {
  showAt(view, undefined);
  scrubbing.value = 0;
}

/** Shows the run as it was after so many events; undefined: as it is. A link carries it. */
export function showAt(view: RunView, count: number | undefined): void {
  const whole = count === undefined || count >= view.data.count.peek();
  view.data.shownAt.value = whole ? undefined : count;
  setQuery({ at: whole ? undefined : String(count - 1) });
}
