// A model call: its attempts, what it was told, what it replied, where that went, and what a fork here would do.

import type { ComponentChildren } from 'preact';
import type { Attempt, StoredMessage } from '../../../../../src/journal/event.ts';
import type { ModelReply } from '../../../../../src/kernel/effect.ts';
import type { ToolResult } from '../../../../../src/kernel/message.ts';
import { duration, plural, tokens } from '../../../../../src/views/amounts.ts';
import { passedOverIn, passedOverWords } from '../../../../../src/views/passed-over.ts';
import { replacedWords } from '../../../../../src/views/replaced-words.ts';
import type { ToldMessage, Went } from '../../../../../src/views/talk/provenance.ts';
import type { OpFacts } from '../../../../../src/views/tree/op-facts.ts';
import type { OpNode } from '../../../../../src/views/tree/op-tree.ts';
import { wholeText } from '../../../data/whole-text.ts';
import { Command } from '../../../parts/controls.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { Section } from '../../../parts/panel.tsx';
import { TextBlock } from '../../../parts/text-block.tsx';
import { sinceStart } from '../../../parts/times.tsx';
import { shortId } from '../run-facts.ts';
import type { RunView } from '../run-view.ts';
import { AskedWith } from './asked-with.tsx';
import { FaultSection } from './fault-section.tsx';
import { OpLink } from './op-link.tsx';
import { PromptSection } from './prompt-section.tsx';

interface Props {
  readonly view: RunView;
  readonly node: OpNode;
  readonly facts: OpFacts;
  /** The actions that help where it failed. */
  readonly goOn?: ComponentChildren;
}

export const ModelSections = ({ view, node, facts, goOn }: Props) => {
  if (facts.op?.kind !== 'model') return null;
  const { provenance } = view.why.value;
  const told = provenance.told(node.path);
  const went = provenance.went(node.path);
  const writing = view.data.writing.value.get(node.path);
  const passedOver = facts.result && passedOverIn({ kind: 'model', result: facts.result });
  return (
    <>
      {passedOver !== undefined && (
        <Section title="Passed over">
          <p class="small-text">{passedOverWords(passedOver)}.</p>
        </Section>
      )}
      {facts.attempts.length > 0 && <Attempts view={view} attempts={facts.attempts} node={node} />}
      {facts.op.compact === undefined ? (
        <ToldSection view={view} facts={facts} added={facts.op.added} told={told} />
      ) : (
        <SumsUp of={facts.op.compact} />
      )}
      {node.why !== undefined && (
        <Section title="Sent back">
          <TextBlock text={node.why} tone="bad" />
        </Section>
      )}
      {writing !== undefined && facts.result === undefined && (
        <Section title="Writes" aside="live, never stored">
          <div class="text writes">{writing}</div>
        </Section>
      )}
      {facts.result?.ok === true && (
        <Replied view={view} facts={facts} reply={facts.result.value as ModelReply} attempts={facts.attempts.length} />
      )}
      {facts.result?.ok === false && facts.attempts.length === 0 && <FaultSection fault={facts.result.fault} />}
      {went.length > 0 && <WentTo view={view} went={went} />}
      <PromptSection run={view.data.run} op={node.path} />
      {goOn ?? <WhatIf view={view} facts={facts} />}
    </>
  );
};

const SumsUp = ({ of }: { readonly of: Parameters<typeof replacedWords>[0] }) => (
  <Section title="Sums up" aside={plural(of.messages, 'message')}>
    <p class="small-text">{replacedWords(of)}, to make room in the window. The conversation has all of them.</p>
  </Section>
);

const Attempts = ({
  view,
  attempts,
  node,
}: {
  readonly view: RunView;
  readonly attempts: readonly Attempt[];
  readonly node: OpNode;
}) => {
  const { start } = view.times.value;
  const last = attempts.at(-1);
  const spent = attempts.reduce((sum, { spent: { usd = 0 } }) => sum + usd, 0);
  return (
    <Section
      title="Attempts"
      aside={`${attempts.length} failed${node.ms === undefined ? '' : ` in ${duration(node.ms)}`}, ${spent === 0 ? 'nothing spent' : `$${spent.toPrecision(2)} spent`}`}
    >
      {attempts.map(({ number, at, ms, fault, then }) => (
        <div key={number} class="cols try small-text">
          <span class="mark s-bad">
            <Icon name="failed" />
          </span>
          <span>{sinceStart(at - ms, start)}</span>
          <span class="faint">{duration(ms)}</span>
          <span title={fault.message}>
            <code>{fault.code}</code> <span class="faint">{thenWords(then)}</span>
          </span>
        </div>
      ))}
      {last !== undefined && <TextBlock text={last.fault.message} tone="bad" />}
    </Section>
  );
};

const thenWords = (then: Attempt['then']): string => {
  switch (then.kind) {
    case 'retry':
      return `again after ${duration(then.delayMs)}`;
    case 'failover':
      return `then ${then.to}`;
    case 'give-up':
      return 'no more models, gave up';
  }
};

/** Each message that was new in the request, with the op that holds it. */
const ToldSection = (props: {
  readonly view: RunView;
  readonly facts: OpFacts;
  readonly added: readonly StoredMessage[];
  readonly told: readonly ToldMessage[];
}) => {
  const { view, facts, added, told } = props;
  const shown = added
    .map((message, index) => ({ message, index }))
    .filter(({ message }) => message.role !== 'assistant');
  const caused = told.find(({ how }) => how === 'asked');
  const isFirst = caused !== undefined || told.some(({ how }) => how === 'request');
  return (
    <Section
      title={isFirst ? 'Told' : 'Told since its last turn'}
      aside={
        caused === undefined ? (
          plural(shown.length, 'message')
        ) : (
          <>
            by <OpLink view={view} path={caused.op} />
          </>
        )
      }
    >
      {shown.length === 0 && <p class="faint small-text">Nothing new.</p>}
      {shown.map(({ message, index }) => (
        <ToldMessage key={index} view={view} facts={facts} message={message} index={index} />
      ))}
    </Section>
  );
};

const ToldMessage = (props: {
  readonly view: RunView;
  readonly facts: OpFacts;
  readonly message: StoredMessage;
  readonly index: number;
}) => {
  const { view, facts, message, index } = props;
  if (message.role === 'assistant') return null;
  if (message.role === 'user')
    return <TextBlock text={message.text} whole={wholeText(view.data, facts.firstSeq, `/op/added/${index}/text`)} />;
  const held = 'op' in message ? view.facts.value.at(message.op) : undefined;
  const result =
    'result' in message ? message.result : held?.result?.ok === true ? (held.result.value as ToolResult) : undefined;
  return (
    <>
      <p class="src">
        <Icon name="back" />
        <span>
          result of <code>{message.name}</code>
        </span>
        {'op' in message && <OpLink view={view} path={message.op} short />}
        <span class="grow" />
        {held?.endedAt !== undefined && <span class="faint num">{duration(held.endedAt - held.startedAt)}</span>}
      </p>
      <TextBlock
        text={result?.text ?? '(its result is not in the journal)'}
        as="code"
        tone={result?.status === 'error' ? 'bad' : 'usual'}
        whole={held === undefined ? undefined : wholeText(view.data, held.lastSeq, '/result/value/text')}
      />
    </>
  );
};

const Replied = (props: {
  readonly view: RunView;
  readonly facts: OpFacts;
  readonly reply: ModelReply;
  readonly attempts: number;
}) => {
  const { view, facts, reply } = props;
  const { message, spent } = reply;
  const which = props.attempts === 0 ? 'first attempt' : `attempt ${props.attempts + 1}`;
  return (
    <Section title="Replied" aside={`${spent.model}, ${which}`}>
      {message.reasoning !== undefined && message.reasoning !== '' && (
        <details>
          <summary class="small-text soft">Its reasoning</summary>
          <TextBlock text={message.reasoning} />
        </details>
      )}
      {message.text !== '' && (
        <TextBlock
          text={message.text}
          as="markdown"
          whole={wholeText(view.data, facts.lastSeq, '/result/value/message/text')}
        />
      )}
      {message.calls.map((call) => (
        <div key={call.id}>
          <p class="src">
            <Icon name="routed" />
            <span>
              calls <code>{call.name}</code>
            </span>
          </p>
          <AskedWith call={call} />
        </div>
      ))}
      <UsageLine reply={reply} />
    </Section>
  );
};

const UsageLine = ({ reply: { spent } }: { readonly reply: ModelReply }) => {
  const { usage } = spent;
  if (usage === undefined) return null;
  const parts = [
    `${tokens(usage.input)} in`,
    ...(usage.cacheRead === undefined ? [] : [`${tokens(usage.cacheRead)} from cache`]),
    ...(usage.cacheWrite === undefined ? [] : [`${tokens(usage.cacheWrite)} to cache`]),
    `${tokens(usage.output)} out`,
    ...(usage.reasoning === undefined ? [] : [`${tokens(usage.reasoning)} of it reasoning`]),
  ];
  return <p class="faint tiny-text">{parts.join(', ')}</p>;
};

const WENT_WORDS: Readonly<Record<Went['how'], string>> = {
  answer: 'answer of',
  input: 'input of',
  inbox: 'inbox of',
  turn: 'told to',
};

const WentTo = ({ view, went }: { readonly view: RunView; readonly went: readonly Went[] }) => (
  <Section title="Went to" aside={plural(went.length, 'place')}>
    {went.map(({ how, op, at }) => (
      <p key={`${how} ${op}`} class="src">
        <Icon name="routed" />
        <span>{WENT_WORDS[how]}</span>
        <OpLink view={view} path={op} />
        <span class="grow" />
        <span class="faint num">{sinceStart(at, view.times.value.start)}</span>
      </p>
    ))}
  </Section>
);

const WhatIf = ({ view, facts }: { readonly view: RunView; readonly facts: OpFacts }) => (
  <Section title="What if">
    <p class="small-text soft">
      Copies {plural(facts.firstSeq, 'event')} into a new run and goes on live from this call. What was taken over is
      not paid again.
    </p>
    <Command line={`cadre fork ${shortId(view.facts.value.start?.run ?? view.data.run)} --at ${facts.path}`} />
  </Section>
);
