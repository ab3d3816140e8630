/**
 * Reads something again each time that it is asked to, one read at a time: no older answer comes after a newer one. What
 * is asked for while a read is under way is done once after it.
 */
export function rereading(read: () => Promise<void>): () => void {
  let state: 'idle' | 'reading' | 'asked again' = 'idle';
  const readAll = async (): Promise<void> => {
    do {
      state = 'reading';
      await read();
    } while (isAskedAgain());
    state = 'idle';
  };
  const isAskedAgain = (): boolean => state === 'asked again';
  return () => {
    if (state === 'idle') void readAll();
    else state = 'asked again';
  };
}
