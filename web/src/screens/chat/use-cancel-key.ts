// `mod+Backspace` asks whether the run is to be cancelled. In a field with text the key belongs to the text, and in a
// question to a person to the answer.

import { useMemo, useRef } from 'preact/hooks';
import { useKeys } from '../../app/keys.ts';

export function useCancelKey(cancel: () => void, run: string): void {
  const latest = useRef(cancel);
  latest.current = cancel;
  useKeys(
    useMemo(
      () => [
        {
          keys: 'mod+Backspace',
          does: 'cancel the run',
          run: ({ target }: KeyboardEvent) => {
            if (target instanceof HTMLTextAreaElement && target.value !== '') return false;
            if (target instanceof Element && target.closest('.asks') !== null) return false;
            latest.current();
            return true;
          },
        },
      ],
      [run],
    ),
  );
}
