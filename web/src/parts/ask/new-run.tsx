// New run, over whatever is looked at: it goes back there when it is closed.

import { cadre } from '../../data/cadre.ts';
import { Dialog } from '../dialog.tsx';
import { Loading } from '../loading.tsx';
import { AskAgent } from './ask-agent.tsx';

interface Props {
  readonly named: string | undefined;
  readonly onClose: () => void;
}

export const NewRun = ({ named, onClose }: Props) => {
  const now = cadre();
  return (
    <Dialog title="New run" narrow onClose={onClose}>
      {now === undefined ? (
        <Loading />
      ) : (
        <AskAgent cadre={now} named={named} isFirstVisit={false} onStarted={onClose} />
      )}
    </Dialog>
  );
};
