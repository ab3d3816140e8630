// The prompt of a model call: where each part of it comes from, and its tokens. The server works it out when it is opened.

import { useEffect, useState } from 'preact/hooks';
import { escapeUnseen } from '../../../../../src/base/text/escape-unseen.ts';
import type { PromptShown } from '../../../../../src/server/protocol.ts';
import { tokens } from '../../../../../src/views/amounts.ts';
import { getJson, problemOf } from '../../../data/api.ts';
import { Loading } from '../../../parts/loading.tsx';
import { Section } from '../../../parts/panel.tsx';
import { TextBlock } from '../../../parts/text-block.tsx';

interface Props {
  readonly run: string;
  readonly op: string;
}

export const PromptSection = ({ run, op }: Props) => {
  const [opened, setOpened] = useState(false);
  return (
    <Section title="Prompt">
      <details onToggle={(event) => setOpened(event.currentTarget.open)}>
        <summary class="small-text soft">Its parts, with their sources and tokens</summary>
        {opened && <Parts key={`${run} ${op}`} run={run} op={op} />}
      </details>
    </Section>
  );
};

type Answer = PromptShown | { readonly problem: string };

const Parts = ({ run, op }: Props) => {
  const [answer, setAnswer] = useState<Answer | undefined>(undefined);
  useEffect(() => {
    const gone = new AbortController();
    getJson<PromptShown>(`/api/runs/${encodeURIComponent(run)}/prompts/${encodeURIComponent(op)}`, gone.signal)
      .then(setAnswer)
      .catch((thrown: unknown) => {
        if (!gone.signal.aborted) setAnswer({ problem: problemOf(thrown).message });
      });
    return () => gone.abort();
  }, [run, op]);
  if (answer === undefined) return <Loading rows={3} />;
  if ('problem' in answer) return <TextBlock text={answer.problem} tone="bad" />;
  return (
    <>
      {answer.parts.map(({ source, tokens: count, text }) => (
        <details key={source} class="prompt-part">
          <summary class="small-text">
            <bdi>{escapeUnseen(source)}</bdi> <span class="faint num">{tokens(count)} tokens</span>
          </summary>
          {source === 'tools' ? (
            <p class="small-text">{answer.tools.map((tool) => `${tool.name} ${tokens(tool.tokens)}`).join(', ')}</p>
          ) : (
            <TextBlock text={text} />
          )}
        </details>
      ))}
      <p class="faint tiny-text">{tokens(answer.tokens)} tokens in all, estimated.</p>
    </>
  );
};
