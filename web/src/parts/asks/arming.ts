// When a question may be answered: not before a person can have seen it.
// ARM-1. The button has been in view, at the same place, for half a second. A shift of it, however small, begins that anew.
// ARM-2. All keys have been up once since the question appeared.
// ARM-3. A press is judged when the button or key goes down, by where the button is at that moment.

import { signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo } from 'preact/hooks';
import { whenKeysAreUp } from './held-keys.ts';

const SEEN_MS = 500;

export class Arming {
  readonly isArmed = signal(false);
  #button: HTMLElement | undefined;
  #place = '';
  #keysWereUp = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #moves: IntersectionObserver | undefined;

  /** Watches the button of one question, until what it gives is called. */
  watch(button: HTMLElement): () => void {
    this.#button = button;
    this.#keysWereUp = false;
    const forget = whenKeysAreUp(() => {
      this.#keysWereUp = true;
    });
    const again = (): void => this.#lookAgain();
    // An overlay that goes, a folded part that opens: they come with a key, a click or a move of the focus.
    const events = ['scroll', 'focusin', 'keyup', 'pointerup', 'transitionend'] as const;
    for (const type of events) addEventListener(type, again, { capture: true, passive: true });
    addEventListener('resize', again);
    document.addEventListener('visibilitychange', again);
    this.#begin();
    return () => {
      forget();
      for (const type of events) removeEventListener(type, again, { capture: true });
      removeEventListener('resize', again);
      document.removeEventListener('visibilitychange', again);
      this.#stop();
      this.#button = undefined;
    };
  }

  /** ARM-3: whether a press that begins now counts. */
  takesPress(): boolean {
    if (this.isArmed.peek() && this.#place === this.#placeNow()) return true;
    this.#lookAgain();
    return false;
  }

  #lookAgain(): void {
    const isSame = this.#place !== '' && this.#place === this.#placeNow();
    if (!isSame || (this.#timer === undefined && !this.isArmed.peek())) this.#begin();
  }

  #begin(): void {
    this.#stop();
    this.#place = this.#placeNow();
    this.#watchMoves();
    if (this.#place === '') return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#place !== this.#placeNow()) this.#begin();
      else if (this.#keysWereUp) this.isArmed.value = true;
    }, SEEN_MS);
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#moves?.disconnect();
    this.isArmed.value = false;
  }

  /** The place of the button, if all of it is seen and nothing lies over it; else nothing. */
  #placeNow(): string {
    if (this.#button === undefined || document.visibilityState !== 'visible') return '';
    const { left, top, right, bottom } = this.#button.getBoundingClientRect();
    if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight || right - left === 0) return '';
    const isOnTop = [
      [left + 2, top + 2],
      [right - 2, bottom - 2],
      [(left + right) / 2, (top + bottom) / 2],
    ].every(([x = 0, y = 0]) => this.#button?.contains(document.elementFromPoint(x, y)));
    return isOnTop ? [left, top, right, bottom].map((edge) => Math.round(edge * 2)).join(' ') : '';
  }

  /** Tells when the button leaves the frame that is drawn around it, whatever moved it: nothing is asked again and again. */
  #watchMoves(): void {
    if (this.#button === undefined) return;
    const { left, top, right, bottom } = this.#button.getBoundingClientRect();
    const isInside = this.#place !== '';
    const edges = [top, innerWidth - right, innerHeight - bottom, left].map((edge) => `${-Math.floor(edge)}px`);
    let isFirst = true;
    this.#moves = new IntersectionObserver(
      () => {
        if (isFirst) isFirst = false;
        else this.#lookAgain();
      },
      isInside ? { rootMargin: edges.join(' '), threshold: [0.9, 0.99, 1] } : { threshold: [0, 0.5, 1] },
    );
    this.#moves.observe(this.#button);
  }
}

/** `of` names the question that is drawn, whole: each one is armed for itself. The first button is watched. */
export function useArming(buttons: RefObject<HTMLElement | null>, of: string): Arming {
  const arming = useMemo(() => new Arming(), [of]);
  useLayoutEffect(() => {
    const first = buttons.current?.querySelector('button');
    return first instanceof HTMLElement ? arming.watch(first) : undefined;
  }, [arming, of]);
  return arming;
}
