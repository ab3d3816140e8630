// The keys that are down now. A question is not answered by a key that somebody pressed before it was there.

const down = new Set<string>();
const waiting = new Set<() => void>();

function released(): void {
  if (down.size > 0) return;
  for (const tell of waiting) tell();
  waiting.clear();
}

const clear = (): void => {
  down.clear();
  released();
};

addEventListener('keydown', ({ code }) => void down.add(code), true);
addEventListener(
  'keyup',
  ({ code, key }) => {
    // While ⌘ is down, no system tells when the other keys go up.
    if (key === 'Meta') down.clear();
    down.delete(code);
    released();
  },
  true,
);
addEventListener('blur', clear);

/** Calls back once no key is down: at once, if none is. Gives what forgets it. */
export function whenKeysAreUp(tell: () => void): () => void {
  if (down.size === 0) tell();
  else waiting.add(tell);
  return () => void waiting.delete(tell);
}
