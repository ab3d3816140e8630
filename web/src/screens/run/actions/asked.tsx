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

/** The foot of a dialog that does something: why it was refused, and what can be pressed. */
export const ActionFoot = (props: {
  readonly doing?: Doing;
  readonly onClose: () => void;
  readonly children?: ComponentChildren;
}) => (
  <>
    <span class="grow">{props.doing?.state === 'refused' && <span class="err">{props.doing.why}</span>}</span>
    <Button onPress={props.onClose}>Close</Button>
    {props.children}
  </>
);

interface Props {
  readonly title: string;
  readonly children: ComponentChildren;
  /** The same in a terminal, if a command does it. */
  readonly command?: string;
  readonly proposes: string;
  readonly icon?: IconName;
  readonly keys?: string;
  /** The reason why it cannot be done yet. */
  readonly off?: string | undefined;
  readonly work: () => Promise<void>;
  readonly onClose: () => void;
}

export const AskedDialog = (props: Props) => {
  const { title, children, command, proposes, icon, keys = 'mod+Enter', work, onClose } = props;
  const { doing, start } = useAction(work);
  const off = offline() ?? props.off ?? (doing.state === 'sent' ? 'It is under way.' : undefined);
  useKeys(useMemo(() => [{ keys, does: proposes, run: () => void (off === undefined && start()) }], [off, start]));
  return (
    <Dialog
      title={title}
      narrow
      onClose={onClose}
      footer={
        <ActionFoot doing={doing} onClose={onClose}>
          <Button kind="main" {...(icon !== undefined && { icon })} keys={keys} off={off} onPress={start}>
            {proposes}
          </Button>
        </ActionFoot>
      }
    >
      <div class="asked-words fields">{children}</div>
      {command !== undefined && <Command line={command} />}
    </Dialog>
  );
};
