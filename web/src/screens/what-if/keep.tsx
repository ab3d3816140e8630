// To keep a changed prompt is the work of a person: the difference to the file as it is today, and the commands. Nothing
// here writes a file.

import { useEffect, useState } from 'preact/hooks';
import type { AgentDetail, ForkRun } from '../../../../src/server/protocol.ts';
import { promptDiff } from '../../../../src/views/prompt-diff.ts';
import { getJson, problemOf } from '../../data/api.ts';
import { cadre } from '../../data/cadre.ts';
import { runAgents } from '../../data/run-agents.ts';
import type { RunData } from '../../data/run-data.ts';
import { Button, Command, copyText } from '../../parts/controls.tsx';
import { DiffText } from '../../parts/diff-text.tsx';
import { shortId } from '../run/run-facts.ts';
import { viewOf } from '../run/run-view.ts';
import { forkCommand } from './experiment.ts';

interface Props {
  readonly data: RunData;
  readonly at: string;
  readonly agent: string;
  readonly fork: ForkRun | undefined;
  /** The prompt for the fork. */
  readonly text: string;
}

type Today = AgentDetail | { readonly why: string } | undefined;

export const Keep = ({ data, at, agent, fork, text }: Props) => {
  const { start } = viewOf(data).facts.value;
  const prefix = cadre()?.cadres.find(({ folder }) => folder === start?.folder)?.prefix;
  const today = useToday(prefix === undefined ? undefined : prefix + agent);
  const was = runAgents(data).value.get(agent);
  const isText = fork?.prompts?.[agent] !== undefined;
  return (
    <footer class="what-if-keep paper" aria-label="Keep it">
      <Command line={forkCommand(shortId(data.run), at, fork)} />
      {isText && was !== undefined && (
        <Difference file={was.file} was={was.system} text={text} today={prefix === undefined ? NOT_SERVED : today} />
      )}
    </footer>
  );
};

const NOT_SERVED = { why: 'The folder of this run is not served here, so its file cannot be compared.' };

interface DifferenceProps {
  readonly file: string;
  readonly was: string;
  readonly text: string;
  readonly today: Today;
}

const Difference = ({ file, was, text, today }: DifferenceProps) => {
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
      <div class="what-if-write">
        <Command line={`patch -p1 < ${file.replaceAll('/', '-')}.diff`} />
        <Button size="small" icon="copy" onPress={() => void copyText(diff)}>
          Copy the diff
        </Button>
        <span class="faint small-text">
          No file is changed here. Keep the diff as a file, apply it in the folder of the agents, and run cadre check.
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
