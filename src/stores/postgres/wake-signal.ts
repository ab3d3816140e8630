// Wakes one waiter, from wherever the news comes.

const LONG_MS = 2 ** 30;

export function openWakeSignal(signal: AbortSignal): {
  readonly raise: () => void;
  /** Waits until it was raised since the last wait. Only this keeps the process alive. */
  raised(): Promise<void>;
  close(): void;
} {
  let isRaised = false;
  let wake = (): void => {};
  const raise = (): void => {
    isRaised = true;
    wake();
  };
  signal.addEventListener('abort', raise);
  return {
    raise,
    async raised() {
      if (!isRaised) {
        const alive = setTimeout(() => {}, LONG_MS);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        clearTimeout(alive);
      }
      isRaised = false;
    },
    close: () => signal.removeEventListener('abort', raise),
  };
}
