// Makes a test of the run: its input, a recording of what its models answered, and what held.

import { useMemo, useState } from 'preact/hooks';
import type { SavedTestFile } from '../../../../../src/server/protocol.ts';
import { useKeys } from '../../../app/keys.ts';
import { postJson } from '../../../data/api.ts';
import { Button, Command } from '../../../parts/controls.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { shortId } from '../run-facts.ts';
import type { RunView } from '../run-view.ts';
import { useAction } from './asked.tsx';

export const SaveTestDialog = ({ view, onClose }: { readonly view: RunView; readonly onClose: () => void }) => {
  const { start: began } = view.facts.value;
  const run = began?.run ?? view.data.run;
  const [name, setName] = useState(began?.agent ?? 'run');
  const [saved, setSaved] = useState<SavedTestFile | undefined>(undefined);
  const { doing, start } = useAction(async () => {
    setSaved(await postJson<SavedTestFile>(`/api/runs/${encodeURIComponent(run)}/test`, { name }));
  });
  const off =
    saved !== undefined
      ? 'It is saved.'
      : doing.state === 'sent'
        ? 'It is under way.'
        : name === ''
          ? 'Give it a name.'
          : undefined;
  useKeys(
    useMemo(
      () => [{ keys: 'mod+Enter', does: 'save it as a test', run: () => void (off === undefined && start()) }],
      [off, start],
    ),
  );
  return (
    <Dialog
      title="Save as test"
      narrow
      onClose={onClose}
      footer={
        <>
          <span class="grow">{doing.state === 'refused' && <span class="err">{doing.why}</span>}</span>
          <Button onPress={onClose}>Close</Button>
          {saved === undefined && (
            <Button kind="main" keys="mod+Enter" off={off} onPress={start}>
              Save
            </Button>
          )}
        </>
      }
    >
      <div class="asked-words fields">
        {saved === undefined ? (
          <>
            <p>Writes a test beside the agents: what was asked, what the models answered, and what held.</p>
            <label>
              Name
              <input class="input" dir="auto" value={name} onInput={(event) => setName(event.currentTarget.value)} />
            </label>
            <Command line={`cadre show ${shortId(run)} --save-test ${name}.test.yaml`} />
          </>
        ) : (
          <>
            <p>
              {saved.file} and {saved.recording}, with {saved.answers} answers.
            </p>
            <Command line={`cadre test ${saved.file}`} />
          </>
        )}
      </div>
    </Dialog>
  );
};
