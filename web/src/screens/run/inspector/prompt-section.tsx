// The prompt of a model call: where each part of it comes from, and its tokens. The server works it out when it is opened.

import { useState } from 'preact/hooks';
import { escapeUnseen } from '../../../../../src/base/text/escape-unseen.ts';
import type { PromptShown } from '../../../../../src/server/protocol.ts';
import { tokens } from '../../../../../src/views/amounts.ts';
import { useRead } from '../../../data/use-read.ts';
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

const Parts = ({ run, op }: Props) => {
  const path = `/api/runs/${encodeURIComponent(run)}/prompts/${encodeURIComponent(op)}`;
  const { value: answer, problem } = useRead<PromptShown>(path);
  if (problem !== undefined) return <TextBlock text={problem.message} tone="bad" />;
  if (answer === undefined) return <Loading rows={3} />;
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
