// The time that the timeline shows: all of it, and the part that is seen. A run that is followed is seen up to now.

import { useMemo } from 'preact/hooks';
import type { Address } from '../../../app/addresses.ts';
import { tick } from '../../../data/clock.ts';
import type { RunView } from '../run-view.ts';
import { isFollowed } from './following.ts';
import { roomAfter, type TimeWindow } from './time-window.ts';
import { type Skips, useSkips } from './use-skips.ts';
import { useZoom } from './use-zoom.ts';

export type TimelineTime = ReturnType<typeof useTime>;

export function useTime(view: RunView, address: Address, live: boolean) {
  const { last, start } = view.times.value;
  const now = live ? Math.max(tick.value, last) : last;
  const followed = live && isFollowed(address);
  const skips = useSkips(view, now);
  const whole = wholeOf(start, now, { live, skips: skips.waits });
  // While the wait that goes on is skipped, time goes on in it, and nothing that is seen moves.
  const isWaiting = (skips.waits.at(-1)?.to ?? 0) >= now;
  const asked = followed ? undefined : address.query['zoom'];
  const zoom = useZoom(view, { asked, whole, held: live && !followed && !isWaiting, skip: address.query['skip'] });
  const window = useSkipping(zoom.window, zoom.around.skips);
  const around = useSkipping(zoom.around, zoom.around.skips);
  return { now, followed, skips, whole, window, around, zoomTo: zoom.zoomTo };
}

/** The whole of the time: to the last event, or to now with a tenth of room. */
function wholeOf(
  from: number,
  now: number,
  { live, skips }: { readonly live: boolean; readonly skips: Skips['waits'] },
): TimeWindow {
  const seen = now - from - skips.reduce((sum, wait) => sum + wait.to - wait.from, 0);
  return { from, to: live ? now + roomAfter(seen, skips.length) : now + 1, skips };
}

/** The same object while nothing of it changes: what stands where in it is computed once. */
const useSkipping = ({ from, to }: TimeWindow, skips: TimeWindow['skips']): TimeWindow =>
  useMemo(() => ({ from, to, skips }), [from, to, skips]);
