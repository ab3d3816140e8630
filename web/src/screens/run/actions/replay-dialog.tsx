// Replay: the run again on its own record, with no model and no tool. Identical, or where it parts.

import { useState } from 'preact/hooks';
import type { ReplayResult } from '../../../../../src/server/protocol.ts';
import { opHref } from '../../../app/addresses.ts';
import { replay, replayOf } from '../../../data/replayed.ts';
import { Button, Command } from '../../../parts/controls.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { JsonText } from '../../../parts/json-text.tsx';
import { StateWord } from '../../../parts/state.tsx';
import { shortId } from '../run-facts.ts';
import { ActionFoot, useAction } from './asked.tsx';

export const ReplayDialog = ({ run, onClose }: { readonly run: string; readonly onClose: () => void }) => {
  const [pinned, setPinned] = useState(false);
  const result = replayOf(run);
  const { doing, start } = useAction(() => replay(run, pinned));
  const line = `cadre replay ${shortId(run)}${pinned ? ' --pinned' : ''}`;
  return (
    <Dialog
      title="Replay"
      narrow
      aside={<span class="faint small-text">0 tokens, 0 network</span>}
      onClose={onClose}
      footer={
        <ActionFoot doing={doing} onClose={onClose}>
          <Button
            kind="main"
            icon="replay"
            onPress={start}
            off={doing.state === 'sent' ? 'It is under way.' : undefined}
          >
            Replay
          </Button>
        </ActionFoot>
      }
    >
      <div class="asked-words fields">
        <p>Re-runs it on the recorded answers (free) and reports the first difference.</p>
        <label class="line gaps small-text">
          <input type="checkbox" checked={pinned} onChange={(event) => setPinned(event.currentTarget.checked)} /> use
          the agent files as they were
        </label>
        {result !== undefined && <ReplayOutcome run={run} result={result} />}
      </div>
      <Command line={line} />
    </Dialog>
  );
};

export const ReplayOutcome = ({ run, result }: { readonly run: string; readonly result: ReplayResult }) => {
  if (result.kind === 'identical') return <StateWord state="ok" word={`identical: ${result.events} events`} />;
  const { difference } = result;
  return (
    <div class="fields">
      <p>
        <StateWord state="in-doubt" word="different" />{' '}
        {difference?.path !== undefined && (
          <>
            at{' '}
            <a class="op" href={opHref(run, difference.path)}>
              {difference.path}
            </a>
            ,{' '}
          </>
        )}
        {difference?.message}
      </p>
      {result.changed.length > 0 && <p class="soft">Changed since: {result.changed.join(', ')}</p>}
      {difference?.recorded !== undefined && (
        <>
          <p class="head">recorded</p>
          <JsonText value={difference.recorded} />
        </>
      )}
      {difference?.now !== undefined && (
        <>
          <p class="head">now</p>
          <JsonText value={difference.now} />
        </>
      )}
    </div>
  );
};
