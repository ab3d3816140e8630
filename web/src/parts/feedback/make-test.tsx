// A test of a run that a person marked: what must hold, the lines that will be written, and the file.

import { useState } from 'preact/hooks';
import type { SavedTestFile, SaveTest } from '../../../../src/server/protocol.ts';
import { postJson, problemOf } from '../../data/api.ts';
import { cadre } from '../../data/cadre.ts';
import { offline } from '../../data/connection.ts';
import { lacks } from '../../data/you.ts';
import { Button, Command } from '../controls.tsx';
import { EXPECTED, EXPECTED_NAMES, type Expected, expectationOf, proposed } from './expectation.ts';
import type { MarkedRun } from './use-feedback.ts';

interface Props {
  readonly marked: MarkedRun;
  readonly mark: 'good' | 'bad';
}

export const MakeTest = ({ marked, mark }: Props) => {
  const { run, agent, outcome } = marked;
  const [worded, setWorded] = useState(() => ({ ...proposed(outcome, mark), judge: '' }));
  const [isOpen, setOpen] = useState(false);
  const [saved, setSaved] = useState<SavedTestFile | undefined>(undefined);
  const [why, setWhy] = useState<string | undefined>(undefined);
  const isJson = 'data' in outcome && outcome.data !== undefined;
  const expect = expectationOf(worded, isJson);
  const name = `${agent.replaceAll(/[^A-Za-z0-9]+/g, '-')}-${run.slice(0, 15)}`;
  const save = (): void => {
    setWhy(undefined);
    postJson<SavedTestFile>(`/api/runs/${encodeURIComponent(run)}/test`, {
      name,
      expect: expect ?? {},
    } satisfies SaveTest).then(setSaved, (thrown: unknown) => setWhy(problemOf(thrown).message));
  };
  if (saved !== undefined)
    return (
      <div role="status">
        <p>
          {saved.file} and {saved.recording}, with {saved.answers} answers.
        </p>
        <Command line={`cadre test ${saved.file}`} />
      </div>
    );
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

type Worded = Parameters<typeof expectationOf>[0];

const Fields = ({ worded, onChange }: { readonly worded: Worded; readonly onChange: (worded: Worded) => void }) => (
  <>
    <select
      class="input feedback-kind"
      aria-label="What must hold"
      value={worded.kind}
      onChange={(event) => onChange({ ...worded, kind: event.currentTarget.value as Expected })}
    >
      {EXPECTED.map((kind) => (
        <option key={kind} value={kind}>
          {EXPECTED_NAMES[kind]}
        </option>
      ))}
    </select>
    {worded.kind === 'judge' && (
      <select
        class="input feedback-kind"
        aria-label="The agent that judges"
        value={worded.judge}
        onChange={(event) => onChange({ ...worded, judge: event.currentTarget.value })}
      >
        <option value="">which agent</option>
        {(cadre()?.agents ?? []).map(({ name }) => (
          <option key={name} value={name.slice(name.lastIndexOf('/') + 1)}>
            {name}
          </option>
        ))}
      </select>
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
