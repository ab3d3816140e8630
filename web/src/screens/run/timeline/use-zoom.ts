// The part of the time that is seen. It stands in the address, so that a link shows the same; keys that are held write it a
// few times a second only, because browsers refuse more.

import { useEffect, useRef } from 'preact/hooks';
import { setQuery } from '../../../app/router.ts';
import type { RunView } from '../run-view.ts';
import { within, zoomIn, zoomText } from './axis.ts';
import type { TimeWindow } from './bars.ts';

const PAUSE_MS = 300;

export interface Zoom {
  readonly window: TimeWindow;
  /** Undefined: all of it. */
  readonly zoomTo: (window: TimeWindow | undefined) => void;
}

export function useZoom(view: RunView, asked: string | undefined, whole: TimeWindow): Zoom {
  /** What this wrote last: an address that says it brings nothing new. */
  const written = useRef<string | undefined>(undefined);
  const last = useRef({ at: 0, timer: 0 });
  const known = useRef<string | undefined>(undefined);
  if (known.current !== `${view.data.run} ${asked}`) {
    known.current = `${view.data.run} ${asked}`;
    if (asked !== written.current || asked === undefined) view.window.value = zoomIn(asked, whole.from);
  }
  useEffect(() => () => clearTimeout(last.current.timer), []);
  const write = (): void => {
    const now = view.window.peek();
    written.current = now === undefined ? undefined : zoomText(now, whole.from);
    last.current.at = performance.now();
    setQuery({ zoom: written.current });
  };
  return {
    window: view.follow.value || view.window.value === undefined ? whole : within(view.window.value, whole),
    zoomTo: (to) => {
      view.follow.value = false;
      view.window.value = to;
      clearTimeout(last.current.timer);
      const rest = last.current.at + PAUSE_MS - performance.now();
      if (rest <= 0) write();
      else last.current.timer = window.setTimeout(write, rest);
    },
  };
}
