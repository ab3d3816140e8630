// Wakes one waiter, from wherever the news comes.

const LONG_MS = 2 ** 30;

export function openWakeSignal(signal: AbortSignal) {
  let isRaised = false;
  let wake = (): void => {};
  const raise = (): void => {
    isRaised = true;
    wake();
  };
  signal.addEventListener('abort', raise);
  return {
    raise,
    /** Waits until it was raised since the last wait. Only this keeps the process alive. */
    async raised(): Promise<void> {
      if (!isRaised) {
        const alive = setTimeout(() => {}, LONG_MS);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        clearTimeout(alive);
      }
      isRaised = false;
    },
    close: (): void => signal.removeEventListener('abort', raise),
  };
}
