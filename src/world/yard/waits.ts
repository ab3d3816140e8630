// Waiting until something holds, a moment passes, or a signal says so. Nothing here polls: whoever changes what others
// wait for wakes them.

import type { StopSignal } from '../../kernel/stop-signal.ts';

export interface WaitOptions {
  readonly signal?: StopSignal;
  readonly deadline?: number | undefined;
  now(): number;
}

export interface Waits {
  until(holds: () => boolean, options: WaitOptions): Promise<'done' | 'timeout' | 'cancelled'>;
  /** Has everyone look again. */
  wake(): void;
  /** Throws in every wait, now and later. */
  fail(thrown: unknown): void;
  raise(): void;
}

/** Timers take 31 bits. */
const LONGEST = 2 ** 31 - 1;

interface Wait {
  look(): void;
  fail(thrown: unknown): void;
}

export function openWaits(): Waits {
  const waits = new Set<Wait>();
  let failure: { readonly thrown: unknown } | undefined;
  const raise = (): void => {
    if (failure !== undefined) throw failure.thrown;
  };
  return {
    async until(holds, { signal, deadline, now }) {
      raise();
      if (holds()) return 'done';
      if (signal?.aborted === true) return 'cancelled';
      return new Promise((resolve, reject) => {
        let timer: ReturnType<typeof setTimeout> | undefined;
        const over = (): void => {
          waits.delete(wait);
          clearTimeout(timer);
          signal?.removeEventListener('abort', cancelled);
        };
        const end = (how: 'done' | 'timeout' | 'cancelled'): void => {
          over();
          resolve(how);
        };
        const cancelled = (): void => end('cancelled');
        const wait: Wait = {
          look: () => holds() && end('done'),
          fail(thrown) {
            over();
            reject(thrown as Error);
          },
        };
        const expire = (): void => {
          if (deadline === undefined) return;
          const left = deadline - now();
          if (left <= 0) end('timeout');
          else timer = setTimeout(expire, Math.min(left, LONGEST));
        };
        waits.add(wait);
        signal?.addEventListener('abort', cancelled, { once: true });
        expire();
      });
    },
    wake() {
      for (const wait of waits) wait.look();
    },
    fail(thrown) {
      failure ??= { thrown };
      for (const wait of waits) wait.fail(thrown);
    },
    raise,
  };
}
