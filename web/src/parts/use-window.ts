// The messages that are in the document, of very many: those at the end, or those around the place where somebody
// reads. The text under the eye keeps its place when others come in above it. Each message has its name as `data-key`.

import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

const SHOWN = 60;
const STEP = 30;
const NEAR = 600;

export interface MessageWindow {
  readonly from: number;
  readonly to: number;
  readonly onNear: () => void;
}

/** `around`: a message that is in the document first, and again when it is another one. Undefined: the last ones are. */
export function useWindow(count: number, box: RefObject<HTMLElement | null>, around?: number): MessageWindow {
  /** Undefined: the window ends with the last message. */
  const [end, setEnd] = useState<number | undefined>(() => endAround(around));
  const anchor = useRef<{ readonly key: string; readonly top: number } | undefined>(undefined);
  const to = Math.min(end ?? count, count);
  const from = Math.max(0, to - SHOWN);
  const shown = useRef(around);
  useLayoutEffect(() => {
    if (shown.current === around) return;
    shown.current = around;
    if (around !== undefined && (around < from || around >= to)) setEnd(endAround(around));
  }, [around]);
  const shift = (step: number): void => {
    const element = box.current;
    const next = Math.min(count, Math.max(SHOWN, to + step));
    if (element === null || next === to) return;
    const seen = [...element.querySelectorAll<HTMLElement>('[data-key]')];
    // A message that stays, and can be seen if possible.
    const staying = step < 0 ? seen.slice(0, SHOWN - STEP) : seen.slice(STEP);
    const top = element.getBoundingClientRect().top;
    const kept = staying.find((one) => one.getBoundingClientRect().bottom > top) ?? staying[0];
    anchor.current =
      kept === undefined ? undefined : { key: kept.dataset['key'] ?? '', top: kept.getBoundingClientRect().top };
    setEnd(next === count ? undefined : next);
  };
  useLayoutEffect(() => {
    const element = box.current;
    const kept = anchor.current;
    anchor.current = undefined;
    if (element === null || kept === undefined) return;
    const now = element.querySelector<HTMLElement>(`[data-key="${CSS.escape(kept.key)}"]`);
    if (now !== null) element.scrollTop += now.getBoundingClientRect().top - kept.top;
  }, [from, to]);
  const onNear = (): void => {
    const element = box.current;
    if (element === null || anchor.current !== undefined) return;
    if (element.scrollTop < NEAR && from > 0) shift(-STEP);
    else if (element.scrollHeight - element.scrollTop - element.clientHeight < NEAR && to < count) shift(STEP);
  };
  return { from, to, onNear };
}

/** With as many before it as after it, as far as there are. */
const endAround = (around: number | undefined): number | undefined =>
  around === undefined ? undefined : Math.max(SHOWN, around + SHOWN / 2);
