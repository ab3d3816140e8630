// Ops of no duration, and waits: what was said, heard, ordered or waited for.

import type { Broadcast, Mail } from '../../../../../src/kernel/effect.ts';
import type { AwaitedRuns, SpawnOrder } from '../../../../../src/kernel/spawned.ts';
import type { OpFacts } from '../../../../../src/views/tree/op-facts.ts';
import type { OpNode } from '../../../../../src/views/tree/op-tree.ts';
import { JsonText } from '../../../parts/json-text.tsx';
import { Section } from '../../../parts/panel.tsx';
import { TextBlock } from '../../../parts/text-block.tsx';
import type { RunView } from '../run-view.ts';

export const InstantSections = ({
  facts,
}: {
  readonly view: RunView;
  readonly node: OpNode;
  readonly facts: OpFacts;
}) => {
  const { instant, op, result } = facts;
  if (instant?.kind === 'post') {
    const { number, memberId, message, refused } = instant.value as Broadcast;
    return (
      <Section title={refused === undefined ? `Broadcast ${number} of ${memberId}` : 'Refused'} aside={refused}>
        <TextBlock text={message} />
      </Section>
    );
  }
  if (instant?.kind === 'take') {
    const { messages, broadcasts = [], stop } = instant.value as Mail;
    return (
      <Section title="Heard">
        {broadcasts.map(({ number, memberId, message }) => (
          <div key={number}>
            <p class="src">
              #{number} <b>{memberId}</b>
            </p>
            <TextBlock text={message} />
          </div>
        ))}
        {messages.map(({ text }, index) => (
          <TextBlock key={index} text={text} />
        ))}
        {stop !== undefined && <p class="soft">Asked for the answer: {stop}</p>}
      </Section>
    );
  }
  if (instant?.kind === 'spawn') {
    const { orders } = instant.detail as { readonly orders: readonly SpawnOrder[] };
    return (
      <Section title="Ordered" aside={`${orders.length}`}>
        {orders.map(({ label, agent, after }) => (
          <p key={label} class="src">
            <span class="tag">{label}</span> <b>{agent}</b>{' '}
            {after.length > 0 && <span class="faint">after {after.length}</span>}
          </p>
        ))}
      </Section>
    );
  }
  if (op?.kind === 'await-runs' && result?.ok === true) {
    const { over, runs } = result.value as AwaitedRuns;
    return (
      <Section title="Waited for" aside={over}>
        {runs.map(({ run, label, agent, state }) => (
          <p key={run} class="src">
            <span class="tag">{label}</span> <b>{agent}</b> <span class="faint">{state}</span>
          </p>
        ))}
      </Section>
    );
  }
  return (
    <Section title="What it was">
      <JsonText value={instant ?? { asked: op, result }} />
    </Section>
  );
};
