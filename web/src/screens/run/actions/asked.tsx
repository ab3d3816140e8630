// An action that asks once: what it will do, its command, and its result in the same place.

import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { useKeys } from '../../../app/keys.ts';
import { problemOf } from '../../../data/api.ts';
import { offline } from '../../../data/connection.ts';
import { Button, Command } from '../../../parts/controls.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import type { IconName } from '../../../parts/icon.tsx';

export type Doing =
  | { readonly state: 'asked' }
  | { readonly state: 'sent' }
  | { readonly state: 'refused'; readonly why: string };

/** Does something once at a time, and says how that stands. */
export function useAction(work: () => Promise<void>): { readonly doing: Doing; readonly start: () => void } {
  const [doing, setDoing] = useState<Doing>({ state: 'asked' });
  const start = (): void => {
    if (doing.state === 'sent') return;
    setDoing({ state: 'sent' });
    work().then(
      () => setDoing({ state: 'asked' }),
      (thrown: unknown) => {
        const { message, code } = problemOf(thrown);
        setDoing({ state: 'refused', why: `${message} (${code})` });
      },
    );
  };
  return { doing, start };
}

interface Props {
  readonly title: string;
  readonly children: ComponentChildren;
  /** The same in a terminal, if a command does it. */
  readonly command?: string;
  readonly proposes: string;
  readonly icon?: IconName;
  readonly keys?: string;
  readonly work: () => Promise<void>;
  readonly onClose: () => void;
}

export const AskedDialog = ({ title, children, command, proposes, icon, keys = 'mod+Enter', work, onClose }: Props) => {
  const { doing, start } = useAction(work);
  useKeys(useMemo(() => [{ keys, does: proposes, run: start }], [doing]));
  return (
    <Dialog
      title={title}
      narrow
      onClose={onClose}
      footer={
        <>
          <span class="grow">{doing.state === 'refused' && <span class="err">{doing.why}</span>}</span>
          <Button onPress={onClose}>Close</Button>
          <Button
            kind="main"
            {...(icon !== undefined && { icon })}
            keys={keys}
            off={offline() ?? (doing.state === 'sent' ? 'It is under way.' : undefined)}
            onPress={start}
          >
            {proposes}
          </Button>
        </>
      }
    >
      <div class="asked-words fields">{children}</div>
      {command !== undefined && <Command line={command} />}
    </Dialog>
  );
};
