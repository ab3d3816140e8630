// The keys of the list of runs.

import { useMemo } from 'preact/hooks';
import { useKeys } from '../../app/keys.ts';
import { go, setQuery } from '../../app/router.ts';
import { hrefOfRow } from './list-row.tsx';
import type { useMarks } from './marks.tsx';
import type { ListRow } from './run-rows.ts';

export type FocusableRow = Extract<ListRow, { readonly kind: 'run' | 'message' }>;

interface ListKeys {
  readonly rows: readonly FocusableRow[];
  readonly focused: FocusableRow | undefined;
  /** Loads what is not loaded yet. */
  readonly toEnd: () => Promise<void>;
  readonly opened: readonly string[];
  readonly toggle: (thread: string) => void;
  readonly peek: () => void;
  readonly marks: ReturnType<typeof useMarks>;
}

export function useListKeys(of: ListKeys): void {
  const { rows, focused, toEnd, opened, toggle, peek, marks } = of;
  const at = rows.findIndex(({ key }) => key === focused?.key);
  const focus = (row: FocusableRow | undefined): void => setQuery({ run: row?.key });
  const move = (to: number): void => focus(rows[Math.max(0, Math.min(rows.length - 1, to))]);
  const isChat = focused?.kind === 'run' && focused.row.messages !== undefined;
  useKeys(
    useMemo(
      () => [
        { keys: 'ArrowDown|j', does: 'next run', run: () => move(at + 1) },
        { keys: 'ArrowUp|k', does: 'the run before', run: () => move(at - 1) },
        { keys: 'Home', does: 'first run', run: () => move(0) },
        { keys: 'End', does: 'last run', run: () => void toEnd().then(() => setQuery({ run: LAST })) },
        {
          keys: 'ArrowRight',
          does: 'the messages of a chat',
          run: () => {
            if (!isChat || opened.includes(focused.key)) return false;
            toggle(focused.key);
            return undefined;
          },
        },
        {
          keys: 'ArrowLeft',
          does: 'close them',
          run: () => {
            if (focused?.kind === 'message') return setQuery({ run: focused.parent });
            if (!isChat || !opened.includes(focused.key)) return false;
            toggle(focused.key);
            return undefined;
          },
        },
        {
          keys: 'Enter',
          does: 'open it',
          run: () => {
            if (focused !== undefined) go(hrefOfRow(focused));
          },
        },
        { keys: 'Space', does: 'peek at it', run: peek },
        { keys: 'x', does: 'mark it for comparing', run: marks.toggle },
        { keys: 'c', does: 'compare two', run: marks.compare },
      ],
      [rows, focused?.key, opened.join(), marks],
    ),
  );
}

/** In the address: the last row, whichever it is. */
export const LAST = 'last';
