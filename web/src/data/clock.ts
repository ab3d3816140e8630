// The time at the server. Every heartbeat corrects the difference of the clocks. Durations under way tick in whole
// seconds, and only while a screen shows some and the connection stands.

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

let difference = 0;
let known = false;

export const serverNow = (): number => Date.now() + difference;

export function heard(serverTime: number): void {
  const now = serverTime - Date.now();
  // A message that was long on its way would set the clock back: the largest difference lately is the truest.
  difference = known ? Math.max(now, difference - 20) : now;
  known = true;
}

/** The server's time when the last second began. Read it in a component that called `useTicking`. */
export const tick = signal(serverNow());

/** A run that is looked at as it was at an event: the time of that event. What was under way then had lasted so long. */
export const heldAt = signal<number | undefined>(undefined);

let tickers = 0;
let timer: ReturnType<typeof setInterval> | undefined;
let stopped = false;

function run(): void {
  const wanted = tickers > 0 && !stopped;
  if (wanted && timer === undefined) {
    tick.value = serverNow();
    timer = setInterval(() => {
      tick.value = serverNow();
    }, 1000);
  } else if (!wanted && timer !== undefined) {
    clearInterval(timer);
    timer = undefined;
  }
}

/** Ticking stops while the connection is lost: what is shown is as old as it is. */
export function holdClock(held: boolean): void {
  stopped = held;
  run();
}

export function useTicking(on: boolean): void {
  useEffect(() => {
    if (!on) return undefined;
    tickers++;
    run();
    return () => {
      tickers--;
      run();
    };
  }, [on]);
}
