// The list behind `?`: the keys that do something here and now.

import { signal } from '@preact/signals';
import { Key } from '../parts/controls.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { boundKeys } from './keys.ts';

export const keyListOpen = signal(false);

const close = (): void => {
  keyListOpen.value = false;
};

/** Digits that follow one another stand as `1–6`. */
const inRange = (keys: readonly string[]): readonly string[] =>
  keys.length > 2 && keys.every((key) => /^\d$/.test(key)) ? [`${keys[0]}–${keys.at(-1)}`] : keys;

export const KeyList = () => {
  if (!keyListOpen.value) return null;
  const seen = new Set<string>();
  const bound = boundKeys().filter(({ keys, does }) => {
    const known = seen.has(keys) || does === '';
    seen.add(keys);
    return !known;
  });
  return (
    <Dialog title="Keys" onClose={close}>
      <dl class="pairs key-list small-text" tabIndex={0}>
        {bound.map(({ keys, does }) => (
          <div key={keys}>
            <dt>
              {inRange(keys.split('|')).map((one) => (
                <Key key={one} keys={one} />
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
};
