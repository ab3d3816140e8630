// A test of a run that a person marked: what must hold, the lines that will be written, and the file.

import { useState } from 'preact/hooks';
import type { SavedTestFile, SaveTest } from '../../../../src/server/protocol.ts';
import { postJson, problemOf } from '../../data/api.ts';
import { cadre } from '../../data/cadre.ts';
import { offline } from '../../data/connection.ts';
import { lacks } from '../../data/you.ts';
import { Button, Command, Select } from '../controls.tsx';
import { EXPECTED, EXPECTED_NAMES, expectationOf, proposed } from './expectation.ts';
import type { MarkedRun } from './use-feedback.ts';

interface Props {
  readonly marked: MarkedRun;
  readonly mark: 'good' | 'bad';
}

export const MakeTest = ({ marked, mark }: Props) => {
  const { run, agent, outcome } = marked;
  const [worded, setWorded] = useState(() => ({ ...proposed(outcome, mark), judge: '' }));
  const [isOpen, setOpen] = useState(false);
  const expect = expectationOf(worded, 'data' in outcome && outcome.data !== undefined);
  const name = `${agent.replaceAll(/[^A-Za-z0-9]+/g, '-')}-${run.slice(0, 15)}`;
  const { saved, why, save } = useSaving(run, { name, expect: expect ?? {} });
  if (saved !== undefined) return <Saved file={saved} />;
  return (
    <>
      <div class="line wraps">
        <Button
          kind="bare"
          size="small"
          icon="test"
          off={offline() ?? lacks('manage')}
          pressed={isOpen}
          onPress={() => setOpen(!isOpen)}
        >
          Make a test of it
        </Button>
        {isOpen && <Fields worded={worded} onChange={setWorded} />}
        {isOpen && (
          <Button size="small" off={expect === undefined ? 'Say first what must hold.' : undefined} onPress={save}>
            Save test
          </Button>
        )}
      </div>
      {isOpen && (
        <div>
          <p class="faint">
            Adds {name}.test.yaml with its recording{expect !== undefined && ', and in it'}
          </p>
          {expect !== undefined && <pre class="feedback-lines">{`expect: ${JSON.stringify(expect)}`}</pre>}
          {why !== undefined && (
            <p class="err" role="alert">
              {why}
            </p>
          )}
        </div>
      )}
    </>
  );
};

function useSaving(run: string, test: SaveTest) {
  const [saved, setSaved] = useState<SavedTestFile | undefined>(undefined);
  const [why, setWhy] = useState<string | undefined>(undefined);
  const save = (): void => {
    setWhy(undefined);
    postJson<SavedTestFile>(`/api/runs/${encodeURIComponent(run)}/test`, test).then(setSaved, (thrown: unknown) =>
      setWhy(problemOf(thrown).message),
    );
  };
  return { saved, why, save };
}

const Saved = ({ file: { file, recording, answers } }: { readonly file: SavedTestFile }) => (
  <div role="status">
    <p>
      {file} and {recording}, with {answers} answers.
    </p>
    <Command line={`cadre test ${file}`} />
  </div>
);

type Worded = Parameters<typeof expectationOf>[0];

const Fields = ({ worded, onChange }: { readonly worded: Worded; readonly onChange: (worded: Worded) => void }) => (
  <>
    <Select
      label="What must hold"
      isHidden
      value={worded.kind}
      of={EXPECTED.map((value) => ({ value, name: EXPECTED_NAMES[value] }))}
      onChoose={(kind) => onChange({ ...worded, kind })}
    />
    {worded.kind === 'judge' && (
      <Select
        label="The agent that judges"
        isHidden
        value={worded.judge}
        of={[
          { value: '', name: 'which agent' },
          ...(cadre()?.agents ?? []).map(({ name }) => ({ value: name.slice(name.lastIndexOf('/') + 1), name })),
        ]}
        onChoose={(judge) => onChange({ ...worded, judge })}
      />
    )}
    <textarea
      class="input grow"
      rows={worded.text.includes('\n') ? 4 : 1}
      dir="auto"
      aria-label={worded.kind === 'judge' ? 'What a good answer is' : 'The text or the values'}
      placeholder={worded.kind === 'json' ? '$.order.total: 189.5' : ''}
      value={worded.text}
      onInput={(event) => onChange({ ...worded, text: event.currentTarget.value })}
    />
  </>
);
