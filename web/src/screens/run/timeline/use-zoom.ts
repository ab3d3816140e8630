// The part of the time that is seen. It stands in the address, so that a link shows the same; keys that are held write it a
// few times a second only, because browsers refuse more.
// ZOOM-1. Nothing moves by itself but what is followed: while a live run is not, neither the part that is seen nor the
//         whole around it grows, until a person zooms, moves, fits or follows.

import { useEffect, useRef, useState } from 'preact/hooks';
import { setQuery } from '../../../app/router.ts';
import type { RunView } from '../run-view.ts';
import { within, zoomIn, zoomText } from './axis.ts';
import { follow } from './following.ts';
import type { TimeWindow } from './time-window.ts';

const PAUSE_MS = 300;

export interface Zoom {
  readonly window: TimeWindow;
  /** The window around it: the whole time, as far as it was when a person last moved in it. */
  readonly around: TimeWindow;
  /** Undefined: all of it. */
  readonly zoomTo: (window: TimeWindow | undefined) => void;
}

export interface ZoomScene {
  readonly asked: string | undefined;
  /** The whole time by now. */
  readonly whole: TimeWindow;
  /** ZOOM-1: a live run that is not followed. */
  readonly held: boolean;
  /** The choice of a person about waits: they see it at once. */
  readonly skip: string | undefined;
}

export function useZoom(view: RunView, { asked, whole, held, skip }: ZoomScene): Zoom {
  /** The last address that this wrote: one that says it brings nothing new. */
  const written = useRef<string | undefined>(undefined);
  const last = useRef({ at: 0, timer: 0 });
  const known = useRef<string | undefined>(undefined);
  if (known.current !== `${view.data.run} ${asked}`) {
    known.current = `${view.data.run} ${asked}`;
    if (asked !== written.current || asked === undefined) view.window.value = zoomIn(asked, whole.from);
  }
  const around = useRef(whole);
  const skipping = useRef(skip);
  if (!held || around.current.from !== whole.from || skipping.current !== skip) around.current = whole;
  skipping.current = skip;
  const [, redraw] = useState<TimeWindow>(whole);
  useEffect(() => () => clearTimeout(last.current.timer), []);
  const write = (): void => {
    const now = view.window.peek();
    written.current = now === undefined ? undefined : zoomText(now, whole.from);
    last.current.at = performance.now();
    setQuery({ zoom: written.current });
  };
  const seen = view.window.value;
  return {
    around: around.current,
    window: seen === undefined ? around.current : within(seen, whole),
    zoomTo: (to) => {
      follow(false);
      around.current = whole;
      view.window.value = to;
      redraw(whole);
      clearTimeout(last.current.timer);
      const rest = last.current.at + PAUSE_MS - performance.now();
      if (rest <= 0) write();
      else last.current.timer = window.setTimeout(write, rest);
    },
  };
}
