/**
 * Reads something again each time that it is asked to, one read at a time: no older answer comes after a newer one. What
 * is asked for while a read is under way, or within the pause after it, is done once after that.
 */
export function rereading(read: () => Promise<void>, pauseMs = 0): () => void {
  let state: 'idle' | 'reading' | 'asked again' = 'idle';
  const readAll = async (): Promise<void> => {
    do {
      state = 'reading';
      await read();
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    } while (isAskedAgain());
    state = 'idle';
  };
  const isAskedAgain = (): boolean => state === 'asked again';
  return () => {
    if (state === 'idle') void readAll();
    else state = 'asked again';
  };
}
