// To keep a changed prompt is the work of a person: the difference to the file as it is today, and the commands. Nothing
// here writes a file.

import { useEffect, useState } from 'preact/hooks';
import type { AgentDetail } from '../../../../src/server/protocol.ts';
import { promptDiff } from '../../../../src/views/prompt-diff.ts';
import { getJson, problemOf } from '../../data/api.ts';
import { cadre } from '../../data/cadre.ts';
import { Button, Command, copyText } from '../../parts/controls.tsx';
import { DiffText } from '../../parts/diff-text.tsx';
import { shortId } from '../run/run-facts.ts';
import { viewOf } from '../run/run-view.ts';
import { forkCommand, keepCommand } from './experiment.ts';
import type { Trial } from './trial.ts';

type Today = AgentDetail | { readonly why: string } | undefined;

export const Keep = ({ trial }: { readonly trial: Trial }) => {
  const { data, at, agents, agent, fork, text } = trial;
  const { start } = viewOf(data).facts.value;
  const prefix = cadre()?.cadres.find(({ folder }) => folder === start?.folder)?.prefix;
  const today = useToday(prefix === undefined ? undefined : prefix + agent);
  const was = agents.get(agent);
  const isText = fork?.prompts?.[agent] !== undefined;
  return (
    <footer class="fields inset ruled-above paper" aria-label="Keep it">
      <Command line={forkCommand(shortId(data.run), at, fork)} />
      {isText && was !== undefined && (
        <Difference
          file={was.file}
          folder={(prefix ?? '').replace(/\/$/, '')}
          was={was.system}
          text={text}
          today={prefix === undefined ? NOT_SERVED : today}
        />
      )}
    </footer>
  );
};

const NOT_SERVED = { why: 'The folder of this run is not served here, so its file cannot be compared.' };

interface DifferenceProps {
  readonly file: string;
  /** The cadre that the file is of, from the folder that is served. */
  readonly folder: string;
  readonly was: string;
  readonly text: string;
  readonly today: Today;
}

const Difference = ({ file, folder, was, text, today }: DifferenceProps) => {
  if (today === undefined) return null;
  if ('why' in today) return <p class="soft">{today.why}</p>;
  if (today.system.trim() !== was.trim())
    return (
      <p class="soft" role="status">
        {file} has changed since this run, so a difference to it would undo that. Look at the file, and change it by
        hand.
      </p>
    );
  const diff = promptDiff({ file, text: today.text, prompt: today.system }, text);
  if (diff === undefined)
    return <p class="soft">{file} fills its prompt in from other texts, so its lines have to be changed by hand.</p>;
  return (
    <>
      <DiffText text={diff} label={`The difference to ${file} as it is today`} />
      <div class="line wraps gaps">
        <Button size="small" icon="copy" onPress={() => void copyText(diff)}>
          Copy the diff
        </Button>
        <Command line={keepCommand(file, folder)} />
        <span class="faint small-text">
          No file is changed here. Keep the diff as a file, and apply it in the folder that is served: the result is
          checked, and its tests run with it.
        </span>
      </div>
    </>
  );
};

function useToday(name: string | undefined): Today {
  const [today, setToday] = useState<Today>(undefined);
  useEffect(() => {
    const asking = new AbortController();
    setToday(undefined);
    if (name !== undefined)
      getJson<AgentDetail>(`/api/agents/${encodeURIComponent(name)}`, asking.signal).then(
        setToday,
        (thrown: unknown) => {
          if (!asking.signal.aborted) setToday({ why: `No file to compare with: ${problemOf(thrown).message}` });
        },
      );
    return () => asking.abort();
  }, [name]);
  return today;
}
