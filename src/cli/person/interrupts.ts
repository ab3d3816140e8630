// Ctrl+C: once asks for a final answer, twice cancels, three times leaves at once. SIGTERM cancels. The run's journal
// is written as it goes, so even leaving at once loses nothing that was finished.

import { EXIT } from '../../kernel/fault.ts';

export function interrupts(
  target: { interrupt(how: 'stop' | 'cancel', reason: string): void },
  notice: (text: string) => void,
  leave: (exit: number) => void,
): {
  /** The number of times that it was asked to end. */
  readonly asked: number;
  interrupt(): void;
  terminate(): void;
} {
  let asked = 0;
  return {
    get asked() {
      return asked;
    },
    interrupt() {
      asked++;
      if (asked === 1) {
        notice('stopping: asked for a final answer (Ctrl+C again cancels)');
        target.interrupt('stop', 'A person pressed Ctrl+C.');
      } else if (asked === 2) {
        notice('cancelling (Ctrl+C again leaves at once)');
        target.interrupt('cancel', 'A person pressed Ctrl+C twice.');
      } else leave(EXIT.cancelled);
    },
    terminate() {
      asked = Math.max(asked, 2);
      notice('cancelling: the process was asked to terminate');
      target.interrupt('cancel', 'The process was asked to terminate.');
    },
  };
}

/** Listens until the function that it returns is called. */
export function listen(to: ReturnType<typeof interrupts>): () => void {
  const interrupt = (): void => to.interrupt();
  const terminate = (): void => to.terminate();
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', terminate);
  return () => {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', terminate);
  };
}
