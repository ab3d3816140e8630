// Stop, cancel and resume: what each will do, by name.

import type { ControlAccepted, EndRun, ResumeRun } from '../../../../../src/server/protocol.ts';
import { plural } from '../../../../../src/views/amounts.ts';
import { isAtWork, isOpen } from '../../../../../src/views/progress/session-counts.ts';
import { postJson } from '../../../data/api.ts';
import { finishedCalls, inDoubt, shortId } from '../run-facts.ts';
import type { RunView } from '../run-view.ts';
import { AskedDialog } from './asked.tsx';

interface Props {
  readonly view: RunView;
  readonly onClose: () => void;
}

const pathOf = (view: RunView, what: string): string => `/api/runs/${encodeURIComponent(view.data.run)}/${what}`;

const idOf = (view: RunView): string => shortId(view.facts.value.start?.run ?? view.data.run);

export const StopDialog = ({ view, onClose }: Props) => (
  <AskedDialog
    title="Finish now"
    proposes="Finish now"
    command={`cadre runs stop ${idOf(view)}`}
    work={async () => {
      await postJson<ControlAccepted>(pathOf(view, 'stop'), {} satisfies EndRun);
      onClose();
    }}
    onClose={onClose}
  >
    <p>
      Every session is asked for its final answer with its next turn. Nothing new is begun; calls that are out are
      waited for.
    </p>
  </AskedDialog>
);

export const CancelDialog = ({ view, onClose }: Props) => {
  const { sessions } = view.data.progress.value;
  const open = sessions.filter(isOpen);
  const atWork = open.filter(isAtWork);
  const models = atWork.filter(({ activity }) => activity.kind === 'thinking').length;
  const calls = atWork.flatMap(({ agent, label, activity }) =>
    activity.kind === 'calling' ? [`${activity.tools.join(', ')} of ${label ?? agent}`] : [],
  );
  return (
    <AskedDialog
      title="Cancel the run"
      proposes="Cancel it"
      icon="cancelled"
      keys="mod+Backspace"
      command={`cadre runs cancel ${idOf(view)}`}
      work={async () => {
        await postJson<ControlAccepted>(pathOf(view, 'cancel'), {} satisfies EndRun);
        onClose();
      }}
      onClose={onClose}
    >
      <p>
        Stops {plural(open.length, 'session')}. {inFlight(models)}
        {calls.length > 0 && ` Ends ${calls.slice(0, MOST_NAMED).join('; ')}.`} A cancelled run is not resumed; it can
        be forked.
      </p>
    </AskedDialog>
  );
};

const MOST_NAMED = 5;

/** A call that a provider has begun is not taken back. */
const inFlight = (models: number): string =>
  models === 0
    ? 'No model call is in flight.'
    : `${plural(models, 'model call')} ${models === 1 ? 'is' : 'are'} in flight and may still be charged.`;

export const ResumeDialog = ({ view, onClose }: Props) => {
  const tree = view.data.tree.value;
  const { model, tool } = finishedCalls(tree);
  const doubts = inDoubt(tree);
  return (
    <AskedDialog
      title="Resume the run"
      proposes="Resume"
      icon="play"
      command={`cadre resume ${idOf(view)}`}
      work={async () => {
        await postJson<unknown>(pathOf(view, 'resume'), {} satisfies ResumeRun);
        onClose();
      }}
      onClose={onClose}
    >
      <p>
        {plural(model, 'model call')} and {plural(tool, 'tool call')} are finished, and are not made again.{' '}
        {doubts.length > 0 &&
          `${plural(doubts.length, 'call')} had begun when the process ended: a model call is made again, a tool call only if its tool may be repeated.`}
      </p>
    </AskedDialog>
  );
};
