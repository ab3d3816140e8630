// The dialog of an action on a run.

import type { RunView } from '../run-view.ts';
import { CancelDialog, ResumeDialog, StopDialog } from './end-dialogs.tsx';
import { ForkDialog } from './fork-form.tsx';
import { ReplayDialog } from './replay-dialog.tsx';
import { SaveTestDialog } from './save-test-dialog.tsx';

export type DialogName = 'stop' | 'cancel' | 'resume' | 'fork' | 'replay' | 'save-test';

export const ShownDialog = (props: {
  readonly name: DialogName;
  readonly view: RunView;
  readonly onClose: () => void;
}) => {
  const { name, view, onClose } = props;
  switch (name) {
    case 'stop':
      return <StopDialog view={view} onClose={onClose} />;
    case 'cancel':
      return <CancelDialog view={view} onClose={onClose} />;
    case 'resume':
      return <ResumeDialog view={view} onClose={onClose} />;
    case 'fork':
      return <ForkDialog view={view} onClose={onClose} />;
    case 'replay':
      return <ReplayDialog run={view.facts.value.start?.run ?? view.data.run} onClose={onClose} />;
    case 'save-test':
      return <SaveTestDialog view={view} onClose={onClose} />;
  }
};
