// The first entry of a conversation: the system prompt, and the tools that the session had.

import { useMemo } from 'preact/hooks';
import { plural } from '../../../../src/views/amounts.ts';
import type { Conversation } from '../../../../src/views/talk/transcript.ts';
import type { RecordedRun } from '../../data/recorded-run.ts';
import { TextBlock } from '../../parts/text-block.tsx';

interface ToolFact {
  readonly name: string;
  readonly description?: string;
}

/** The tools that a session had, as the run recorded them. */
function toolsOf({ agent }: Conversation, data: RecordedRun): readonly ToolFact[] {
  const { events, count } = data.extent.value;
  for (let index = count - 1; index >= 0; index--) {
    const event = events[index];
    if (event?.type === 'fact' && event.key === `agent:${agent}`)
      return (event.value as { readonly tools?: readonly ToolFact[] }).tools ?? [];
  }
  return [];
}

interface Props {
  readonly talk: Conversation;
  readonly data: RecordedRun;
  readonly isPlain: boolean;
}

export const System = ({ talk, data, isPlain }: Props) => {
  const tools = useMemo(() => toolsOf(talk, data), [talk, data.extent.value.count]);
  const size = talk.system.split('\n').length;
  return (
    <li class="cols talk-entry">
      <span class="talk-when num tiny-text faint">system</span>
      <details class="talk-system" open={isPlain}>
        <summary>
          <span class="grow cut" dir="auto">
            {talk.system.split('\n')[0]}
          </span>
          <span class="faint nowrap">
            {plural(size, 'line')}
            {tools.length > 0 && `, ${plural(tools.length, 'tool')}`}
          </span>
        </summary>
        <TextBlock text={talk.system} as="code" />
        {tools.length > 0 && (
          <dl class="pairs talk-tools fields small-text">
            {tools.map(({ name, description }) => (
              <div key={name}>
                <dt>
                  <code>{name}</code>
                </dt>
                <dd class="faint">{description}</dd>
              </div>
            ))}
          </dl>
        )}
      </details>
    </li>
  );
};
