// Waits for being told.

interface Bell {
  readonly ring: () => void;
  /** Waits until it was rung since the last wait. Only this keeps the process alive. */
  rung(): Promise<void>;
  close(): void;
}

const LONG_MS = 2 ** 30;

export function openBell(signal: AbortSignal): Bell {
  let isRung = false;
  let wake = (): void => {};
  const ring = (): void => {
    isRung = true;
    wake();
  };
  signal.addEventListener('abort', ring);
  return {
    ring,
    async rung() {
      if (!isRung) {
        const alive = setTimeout(() => {}, LONG_MS);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        clearTimeout(alive);
      }
      isRung = false;
    },
    close: () => signal.removeEventListener('abort', ring),
  };
}
