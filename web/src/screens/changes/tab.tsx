// The files that a run changed, as diffs, and taking them back.

import { useState } from 'preact/hooks';
import type { ChangeList, UndoneRun } from '../../../../src/server/protocol.ts';
import { plural } from '../../../../src/views/amounts.ts';
import { opHref } from '../../app/addresses.ts';
import { postJson, problemOf } from '../../data/api.ts';
import { offline } from '../../data/connection.ts';
import { useRead } from '../../data/use-read.ts';
import { Button, Command } from '../../parts/controls.tsx';
import { DiffText } from '../../parts/diff-text.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Empty } from '../../parts/panel.tsx';
import type { RunTabProps } from '../run/tabs.ts';
import './changes.css';

export const ChangesTab = ({ data }: RunTabProps) => {
  const [undone, setUndone] = useState(0);
  // Read again when the journal grows, and after an undo: the stream of an ended run tells nothing more.
  const { count } = data.extent.value;
  const { value: list, problem } = useRead<ChangeList>(
    `/api/runs/${encodeURIComponent(data.run)}/changes`,
    `${count} ${undone}`,
  );
  if (problem !== undefined)
    return (
      <Empty part title="The changes cannot be read">
        <p>{problem.message}</p>
      </Empty>
    );
  if (list === undefined) return <Loading />;
  if (list.files.length === 0)
    return (
      <Empty part title="This run changed no files">
        <p>Agents change files with the tools of files:write.</p>
      </Empty>
    );
  return (
    <div class="pane full">
      <div class="bar">
        <strong>{plural(list.files.length, 'file')}</strong>
        <span class="grow" />
        <Undo
          onDone={() => setUndone(undone + 1)}
          run={data.run}
          isUndone={list.isUndone}
          isEnded={data.events.some(({ type }) => type === 'run-end')}
        />
      </div>
      <div class="changes-files fields gaps-16 scrolls">
        {list.files.map((file) => (
          <ChangedFile key={file.path} of={file} run={data.run} />
        ))}
        <Command line={`cadre show ${data.run} --changes`} />
      </div>
    </div>
  );
};

const ChangedFile = ({ of, run }: { readonly of: ChangeList['files'][number]; readonly run: string }) => (
  <section aria-label={of.path}>
    <h3 class="line gaps-10">
      <span class="mono">{of.from === undefined ? of.path : `${of.from} → ${of.path}`}</span>
      <span class="faint">{of.agents.join(', ')}</span>
      <span class="grow" />
      {of.ops.map((op) => (
        <a key={op} class="link mono" href={opHref(run, op)}>
          {op}
        </a>
      ))}
    </h3>
    <DiffText text={of.diff} label={`Change of ${of.path}`} />
  </section>
);

interface UndoProps {
  readonly onDone: () => void;
  readonly run: string;
  readonly isUndone: boolean;
  readonly isEnded: boolean;
}

/** Asks once, in place, with its command. */
const Undo = ({ run, isUndone, isEnded, onDone }: UndoProps) => {
  const [isAsking, setAsking] = useState(false);
  const [said, setSaid] = useState<string | undefined>(undefined);
  if (isUndone) return <span class="faint">All of it was taken back.</span>;
  const off = offline() ?? (isEnded ? undefined : 'The run is still at work.');
  const undo = async (): Promise<void> => {
    setAsking(false);
    try {
      const { state, files } = await postJson<UndoneRun>(`/api/runs/${encodeURIComponent(run)}/undo`, {});
      setSaid(state === 'undone' ? `${plural(files.length, 'file')} restored.` : state);
      onDone();
    } catch (thrown) {
      setSaid(problemOf(thrown).message);
    }
  };
  return (
    <>
      {said !== undefined && <span role="status">{said}</span>}
      {isAsking ? (
        <>
          <code>cadre undo {run}</code>
          <Button kind="stop" onPress={() => void undo()}>
            Take all of it back
          </Button>
          <Button onPress={() => setAsking(false)}>Keep it</Button>
        </>
      ) : (
        <Button off={off} onPress={() => setAsking(true)}>
          Undo
        </Button>
      )}
    </>
  );
};
