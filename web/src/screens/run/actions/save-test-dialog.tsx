// Makes a test of the run: its input, a recording of what its models answered, and what held.

import { useState } from 'preact/hooks';
import type { SavedTestFile } from '../../../../../src/server/protocol.ts';
import { postJson } from '../../../data/api.ts';
import { Command } from '../../../parts/controls.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { shortId } from '../run-facts.ts';
import type { RunView } from '../run-view.ts';
import { ActionFoot, AskedDialog } from './asked.tsx';

export const SaveTestDialog = ({ view, onClose }: { readonly view: RunView; readonly onClose: () => void }) => {
  const { start } = view.facts.value;
  const run = start?.run ?? view.data.run;
  const [name, setName] = useState(start?.agent ?? 'run');
  const [saved, setSaved] = useState<SavedTestFile | undefined>(undefined);
  if (saved !== undefined) return <Saved of={saved} onClose={onClose} />;
  return (
    <AskedDialog
      title="Save as test"
      proposes="Save"
      command={`cadre show ${shortId(run)} --save-test ${name}.test.yaml`}
      off={name === '' ? 'Give it a name.' : undefined}
      work={async () => setSaved(await postJson<SavedTestFile>(`/api/runs/${encodeURIComponent(run)}/test`, { name }))}
      onClose={onClose}
    >
      <p>Writes a test beside the agents: what was asked, what the models answered, and what held.</p>
      <label>
        Name
        <input class="input" dir="auto" value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
    </AskedDialog>
  );
};

const Saved = ({ of, onClose }: { readonly of: SavedTestFile; readonly onClose: () => void }) => (
  <Dialog title="Save as test" narrow onClose={onClose} footer={<ActionFoot onClose={onClose} />}>
    <p class="asked-words">
      {of.file} and {of.recording}, with {of.answers} answers.
    </p>
    <Command line={`cadre test ${of.file}`} />
  </Dialog>
);
