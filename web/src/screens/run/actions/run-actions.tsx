// The actions on a run as a whole. Each asks once, in a dialog that shows its command and its result.

import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { RunStart } from '../../../../../src/journal/event.ts';
import { hrefOf, startHref } from '../../../app/addresses.ts';
import { useCommands } from '../../../app/commands.ts';
import { useKeys } from '../../../app/keys.ts';
import { address, go } from '../../../app/router.ts';
import { agentOfRun } from '../../../data/cadre.ts';
import { offline } from '../../../data/connection.ts';
import { Button, copyText, LinkButton } from '../../../parts/controls.tsx';
import { later } from '../../../parts/later.tsx';
import { ledgerCsv } from '../../../parts/ledger-csv.ts';
import { Menu } from '../../../parts/menu.tsx';
import type { StateName } from '../../../parts/state.tsx';
import { shortId } from '../run-facts.ts';
import type { RunView } from '../run-view.ts';
import { startScrubbing } from '../timeline/scrubber.tsx';
import type { DialogName } from './shown-dialog.tsx';

/** No part of the first script: it is loaded when there is time, or when it is asked for. */
const ShownDialog = later('part', () => import('./shown-dialog.tsx').then((one) => one.ShownDialog));

export interface RunDialogs {
  readonly view: RunView;
  readonly open: (name: DialogName) => void;
  readonly shown: ComponentChildren;
}

export function useRunDialogs(
  view: RunView,
  { state, live }: { readonly state: StateName; readonly live: boolean },
): RunDialogs {
  const [name, open] = useState<DialogName | undefined>(undefined);
  const close = (): void => open(undefined);
  useKeys(
    useMemo(
      () => [
        { keys: 'shift+f', does: 'fork here', run: () => open('fork') },
        { keys: 'shift+r', does: 'resume', run: () => (state === 'broken-off' ? open('resume') : false) },
        { keys: 'mod+Backspace', does: 'cancel the run', run: () => (live ? open('cancel') : false) },
      ],
      [state, live],
    ),
  );
  useCommands(useMemo(() => () => commandsFor(view, { state, live, open }), [view, state, live]));
  return { view, open, shown: name !== undefined && <ShownDialog name={name} view={view} onClose={close} /> };
}

interface ActionsProps {
  readonly dialogs: RunDialogs;
  readonly state: StateName;
  readonly live: boolean;
  /** It is shown as it was: what can be done with it as it is, is done there. */
  readonly earlier: boolean;
  readonly start: RunStart | undefined;
}

export const RunActions = (props: ActionsProps) => (
  <>
    {!props.earlier && (props.live ? <EndActions {...props} /> : <EndedActions {...props} />)}
    <MoreMenu {...props} />
  </>
);

const EndActions = ({ dialogs }: ActionsProps) => {
  const off = offline();
  return (
    <>
      <Button off={off} onPress={() => dialogs.open('stop')}>
        Finish now
      </Button>
      <Button kind="stop" icon="cancelled" off={off} onPress={() => dialogs.open('cancel')}>
        Cancel
      </Button>
    </>
  );
};

const EndedActions = ({ dialogs, state, start }: ActionsProps) => {
  const off = offline();
  return (
    <>
      {state === 'broken-off' ? (
        <Button icon="play" off={off} onPress={() => dialogs.open('resume')}>
          Resume
        </Button>
      ) : (
        <Button icon="play" off={off} onPress={() => again(start)}>
          Run again
        </Button>
      )}
      <Button icon="replay" off={off} onPress={() => dialogs.open('replay')}>
        Replay
      </Button>
      {start?.forkedFrom !== undefined && (
        <LinkButton href={hrefOf({ screen: 'diff', left: start.forkedFrom.run, right: start.run })} icon="diff">
          Compare
        </LinkButton>
      )}
    </>
  );
};

/** The start dialog of the same agent, with the same input. */
function again(start: RunStart | undefined): void {
  if (start === undefined) return;
  const { text, data } = start.input;
  go(startHref(agentOfRun(start)?.name ?? start.agent, { input: data === undefined ? text : JSON.stringify(data) }));
}

const MoreMenu = ({ dialogs, start }: { readonly dialogs: RunDialogs; readonly start: RunStart | undefined }) => {
  const { view } = dialogs;
  const run = start?.run ?? view.data.run;
  return (
    <Menu
      label="More"
      items={[
        { name: 'Fork here', icon: 'fork', off: offline(), run: () => dialogs.open('fork') },
        {
          name: start?.forkedFrom === undefined ? 'Compare with the run before' : 'Compare with its origin',
          icon: 'diff',
          off: start?.forkedFrom === undefined ? 'Mark two runs in the list with X, then press C.' : undefined,
          run: () => start?.forkedFrom && go(hrefOf({ screen: 'diff', left: start.forkedFrom.run, right: run })),
        },
        { name: 'Save as test', icon: 'answered', off: offline(), run: () => dialogs.open('save-test') },
        { name: 'Export as a file', icon: 'file', off: offline(), run: () => download(run) },
        { name: 'Time travel', icon: 'timed-out', run: startScrubbing },
        { name: 'Copy a link', icon: 'link', run: () => void copyText(location.href) },
        { name: 'Copy the command', icon: 'copy', run: () => void copyText(`cadre show ${shortId(run)}`) },
        {
          name: 'Copy the ledger as CSV',
          icon: 'copy',
          run: () => void copyText(ledgerCsv(view.data.ledger.value.lines)),
        },
      ]}
    />
  );
};

/** The server names the file. */
const download = (run: string): void => location.assign(`/api/runs/${encodeURIComponent(run)}/export`);

interface RunCommands {
  readonly state: StateName;
  readonly live: boolean;
  readonly open: (name: DialogName) => void;
}

function commandsFor(view: RunView, { state, live, open }: RunCommands) {
  const { selected } = address.value;
  const on = selected?.kind === 'op' ? selected.path : undefined;
  const run = view.facts.value.start?.run ?? view.data.run;
  return [
    {
      title: on === undefined ? 'On this run' : `On ${on}`,
      order: 0,
      commands: [
        ...(on === undefined ? [] : forkCommands(`cadre fork ${shortId(run)} --at ${on}`, () => open('fork'))),
        ...(live ? END_COMMANDS : [REPLAY]).map(({ dialog, ...one }) => ({ ...one, run: () => open(dialog) })),
        ...(state === 'broken-off' ? [{ ...RESUME, run: () => open('resume') }] : []),
        { ...EXPORT, run: () => download(run) },
        { ...TRAVEL, run: startScrubbing },
      ],
    },
  ];
}

const command = { kind: 'command' as const };
const REPLAY = { ...command, id: 'replay', title: 'Replay', icon: 'replay', dialog: 'replay' } as const;
const RESUME = { ...command, id: 'resume', title: 'Resume', icon: 'play', keys: 'shift+r' } as const;
const EXPORT = { ...command, id: 'export', title: 'Export the run as a file', icon: 'file' } as const;
const TRAVEL = { ...command, id: 'travel', title: 'Time travel: show the run as it was', keys: 't' } as const;
const END_COMMANDS = [
  { ...command, id: 'stop', title: 'Finish now', icon: 'cancelled', dialog: 'stop' },
  { ...command, id: 'cancel', title: 'Cancel the run', icon: 'cancelled', keys: 'mod+Backspace', dialog: 'cancel' },
] as const;

/** `line`: the command that does the same. */
function forkCommands(line: string, run: () => void) {
  const fork = { ...command, icon: 'fork' as const, run };
  return [
    { ...fork, id: 'fork', title: 'Fork here and go on', keys: 'shift+f' },
    { ...fork, id: 'fork --model', title: 'Fork here with another model…', hint: '--model' },
    { ...fork, id: 'fork --agent-dir', title: 'Fork here with the agents of a folder…', hint: '--agent-dir' },
    { ...command, icon: 'copy' as const, id: 'copy-fork', title: `Copy ${line}`, run: () => void copyText(line) },
  ];
}
