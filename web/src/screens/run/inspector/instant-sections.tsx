// Ops of no duration, and waits: what was said, heard, ordered or waited for.

import type { Broadcast, Mail } from '../../../../../src/kernel/effect.ts';
import type { AwaitedRuns, SpawnOrder } from '../../../../../src/kernel/spawned.ts';
import type { OpFacts } from '../../../../../src/views/tree/op-facts.ts';
import { JsonText } from '../../../parts/json-text.tsx';
import { Section } from '../../../parts/panel.tsx';
import { TextBlock } from '../../../parts/text-block.tsx';

export const InstantSections = ({ facts }: { readonly facts: OpFacts }) => {
  const { instant, op, result } = facts;
  switch (instant?.kind) {
    case 'post':
      return <Posted of={instant.value as Broadcast} />;
    case 'take':
      return <Heard of={instant.value as Mail} />;
    case 'spawn':
      return <Ordered of={(instant.detail as { readonly orders: readonly SpawnOrder[] }).orders} />;
    default:
  }
  if (op?.kind === 'await-runs' && result?.ok === true) return <WaitedFor of={result.value as AwaitedRuns} />;
  return (
    <Section title="What it was">
      <JsonText value={instant ?? { asked: op, result }} />
    </Section>
  );
};

const Posted = ({ of: { number, memberId, message, refused } }: { readonly of: Broadcast }) => (
  <Section title={refused === undefined ? `Broadcast ${number} of ${memberId}` : 'Refused'} aside={refused}>
    <TextBlock text={message} />
  </Section>
);

const Heard = ({ of: { messages, broadcasts = [], stop } }: { readonly of: Mail }) => (
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

const Ordered = ({ of }: { readonly of: readonly SpawnOrder[] }) => (
  <Section title="Ordered" aside={`${of.length}`}>
    {of.map(({ label, agent, after }) => (
      <p key={label} class="src">
        <span class="tag">{label}</span> <b>{agent}</b>{' '}
        {after.length > 0 && <span class="faint">after {after.length}</span>}
      </p>
    ))}
  </Section>
);

const WaitedFor = ({ of: { over, runs } }: { readonly of: AwaitedRuns }) => (
  <Section title="Waited for" aside={over}>
    {runs.map(({ run, label, agent, state }) => (
      <p key={run} class="src">
        <span class="tag">{label}</span> <b>{agent}</b> <span class="faint">{state}</span>
      </p>
    ))}
  </Section>
);
