// The entries of one conversation: what its session was told and by whom, what it said, its calls with their results, and
// how it went on.

import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { RunStart } from '../../../../src/journal/event.ts';
import type { Trigger } from '../../../../src/kernel/effect.ts';
import { cost, duration, plural } from '../../../../src/views/amounts.ts';
import type { LedgerLine } from '../../../../src/views/costs/ledger.ts';
import { itemPlace } from '../../../../src/views/item-words.ts';
import type { ProvenanceFold } from '../../../../src/views/talk/provenance.ts';
import type { Conversation } from '../../../../src/views/talk/transcript.ts';
import type { OpNode } from '../../../../src/views/tree/op-tree.ts';
import { opHref, runHref } from '../../app/addresses.ts';
import type { RecordedRun } from '../../data/recorded-run.ts';
import { SentFiles } from '../../parts/file-picker.tsx';
import { Icon } from '../../parts/icon.tsx';
import { TriggerTag, triggerWord } from '../../parts/state.tsx';
import { TextBlock } from '../../parts/text-block.tsx';
import { sinceStart } from '../../parts/times.tsx';
import { Call } from './call.tsx';
import { partsOf, type Shown } from './talk.ts';

interface EntriesProps {
  readonly of: {
    readonly talk: Conversation;
    readonly data: RecordedRun;
    readonly start: RunStart;
    readonly provenance: ProvenanceFold;
  };
  readonly shown: readonly Shown[];
  /** Those of them that are in the document. */
  readonly range: { readonly from: number; readonly to: number };
  /** The runs of earlier messages of the thread, by entry. */
  readonly earlier?: ReadonlyMap<string, string>;
  /** As the model saw it. */
  readonly isPlain?: boolean;
  /** The op that is selected. */
  readonly selected?: string | undefined;
  /** They stand after the last entry. */
  readonly children?: ComponentChildren;
}

const NONE: ReadonlyMap<string, string> = new Map();

export const TalkEntries = (props: EntriesProps) => {
  const { shown, range, earlier = NONE, isPlain = false } = props;
  const { talk, data, start, provenance } = props.of;
  const { from, to } = range;
  const { lines } = data.ledger.value;
  const tree = data.tree.value;
  const sentBack = useMemo(() => sentBackIn(tree), [tree]);
  return (
    <ol class="talk-entries" aria-label={`Conversation of ${talk.agent}`}>
      {from === 0 ? (
        <System talk={talk} data={data} isPlain={isPlain} />
      ) : (
        <li class="talk-more faint">{plural(from, 'earlier entry').replace('entrys', 'entries')} above</li>
      )}
      {shown.slice(from, to).map((one) => (
        <li
          key={one.key}
          data-key={one.key}
          class={one.entry.op === props.selected ? 'talk-entry selected' : 'talk-entry'}
        >
          {one.kind === 'told' ? (
            <Told
              one={one}
              earlier={earlier.get(one.key)}
              start={start}
              data={data}
              provenance={provenance}
              isPlain={isPlain}
            />
          ) : (
            <Reply
              one={one}
              earlier={earlier.get(one.key)}
              who={talk.agent}
              start={start}
              run={data.run}
              sentBack={sentBack.get(one.entry.op)}
              line={lines.find(({ path }) => path === one.entry.op)}
            />
          )}
        </li>
      ))}
      {to < shown.length && <li class="talk-more faint">{shown.length - to} more below</li>}
      {props.children}
      <HandedOn talk={talk} run={data.run} provenance={provenance} />
    </ol>
  );
};

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

const System = ({
  talk,
  data,
  isPlain,
}: {
  readonly talk: Conversation;
  readonly data: RecordedRun;
  readonly isPlain: boolean;
}) => {
  const tools = useMemo(() => toolsOf(talk, data), [talk, data.extent.value.count]);
  const size = talk.system.split('\n').length;
  return (
    <li class="talk-entry">
      <span class="talk-when">system</span>
      <details class="talk-system" open={isPlain}>
        <summary>
          <span class="cut" dir="auto">
            {talk.system.split('\n')[0]}
          </span>
          <span class="faint nowrap">
            {plural(size, 'line')}
            {tools.length > 0 && `, ${plural(tools.length, 'tool')}`}
          </span>
        </summary>
        <TextBlock text={talk.system} as="code" />
        {tools.length > 0 && (
          <dl class="talk-tools small-text">
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

interface ToldProps {
  /** The run of an earlier message of the thread. */
  readonly earlier: string | undefined;
  readonly one: Extract<Shown, { kind: 'told' }>;
  readonly start: RunStart;
  readonly data: RecordedRun;
  readonly provenance: ProvenanceFold;
  readonly isPlain: boolean;
}

/** The run of an advisor: what it gathered is handed on with the request. */
const advisorOf = (node: OpNode, name: string): string | undefined =>
  node.trigger === 'advisor' && node.agent === name
    ? node.path
    : node.children.map((child) => advisorOf(child, name)).find((path) => path !== undefined);

const Told = ({ one, earlier, start, data, provenance, isPlain }: ToldProps) => {
  const { run } = data;
  const told = provenance.told(one.entry.op);
  const asked = told.find(({ how }) => how === 'asked')?.op;
  const by = asked === undefined ? undefined : provenance.runs.above(asked)?.agent;
  const isEarlier = one.entry.history === true;
  const isYou = isEarlier || (by === undefined && told.some(({ how }) => how === 'request' || how === 'message'));
  return (
    <>
      <span class="talk-when">{isEarlier ? '' : sinceStart(one.entry.at, start.at)}</span>
      <div>
        <p class="talk-who line small-text soft">
          <strong>{isYou ? 'You' : 'told'}</strong>
          {by !== undefined && <span class="faint">by {by}</span>}
          {isEarlier && <Earlier run={earlier} />}
          {one.entry.replaced === true && <span class="tag">replaced by a summary</span>}
          {!isEarlier && <OpRef run={run} op={asked ?? one.entry.op} />}
        </p>
        {isPlain ? (
          <TextBlock text={one.text} as="code" />
        ) : (
          partsOf(one.text).map((part, index) => (
            <div key={`${index} ${part.heading ?? part.from ?? ''}`}>
              {part.heading !== undefined && (
                <p class="talk-heading tiny-text soft strong breaks">
                  <Heading text={part.heading} />
                </p>
              )}
              {part.from !== undefined && (
                <p class="talk-from small-text">
                  From <strong>{part.from}</strong> <OpRef run={run} op={advisorOf(data.tree.value, part.from)} />
                </p>
              )}
              {part.text !== '' && <TextBlock text={part.text} as="markdown" />}
            </div>
          ))
        )}
        {one.files !== undefined && <SentFiles run={run} files={one.files} />}
      </div>
    </>
  );
};

/** The figures of what was said before are those of its own run. */
const Earlier = ({ run }: { readonly run: string | undefined }) =>
  run === undefined ? (
    <span class="faint">earlier in this thread</span>
  ) : (
    <a class="link" href={runHref(run, 'conversation')}>
      earlier in this thread
    </a>
  );

/** Names in a heading of the contract stand between backticks. */
const Heading = ({ text }: { readonly text: string }) => (
  <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>
);

const OpRef = ({ run, op }: { readonly run: string; readonly op: string | undefined }) =>
  op === undefined ? null : (
    <a class="op" href={opHref(run, op, 'conversation')}>
      {op}
    </a>
  );

/** The answers of a run that a judge did not find good, by their turns. */
function sentBackIn(tree: OpNode): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const visit = (node: OpNode): void => {
    if (node.kind === 'turn' && node.state === 'sent-back' && node.why !== undefined) found.set(node.path, node.why);
    for (const child of node.children) visit(child);
  };
  visit(tree);
  return found;
}

interface ReplyProps {
  readonly earlier: string | undefined;
  readonly one: Extract<Shown, { kind: 'reply' }>;
  readonly who: string;
  readonly start: RunStart;
  readonly run: string;
  readonly line: LedgerLine | undefined;
  /** The reason why a judge did not find the answer good. */
  readonly sentBack: string | undefined;
}

const Reply = ({ one, earlier, who, start, run, line, sentBack }: ReplyProps) => (
  <>
    <span class="talk-when">
      {one.entry.history !== true && (
        <>
          <strong>turn {one.entry.turn}</strong>
          <br />
          {sinceStart(one.entry.at, start.at)}
        </>
      )}
    </span>
    <div>
      <p class="talk-who line small-text soft">
        <strong>{who}</strong>
        {one.entry.history === true ? <Earlier run={earlier} /> : <OpRef run={run} op={one.entry.op} />}
        {one.entry.replaced === true && <span class="tag">replaced by a summary</span>}
        <span class="grow" />
        {line !== undefined && one.entry.history !== true && (
          <span class="faint num talk-figures">
            <span>
              {line.usage?.input ?? 0} in, {line.usage?.output ?? 0} out
            </span>
            <span>{cost(line.usd, line.usd === undefined ? 1 : 0)}</span>
            {line.ms !== undefined && <span>{duration(line.ms)}</span>}
          </span>
        )}
      </p>
      {one.reasoning !== undefined && (
        <details>
          <summary class="faint">reasoning</summary>
          <TextBlock text={one.reasoning} />
        </details>
      )}
      {one.text !== '' && <TextBlock text={one.text} as="markdown" />}
      {one.calls.map((call) => (
        <Call key={call.call.id} of={call} run={run} />
      ))}
      {sentBack !== undefined && (
        <details>
          <summary class="limit-words" dir="auto">
            sent back: {sentBack.split('\n', 1)}
          </summary>
          <TextBlock text={sentBack} as="code" />
        </details>
      )}
    </div>
  </>
);

/** A map may go on to very many. */
const MOST_WENT = 40;

/** `next refund`, `item 3 of 20` */
function wayWords(trigger: Trigger): string {
  const word = triggerWord(trigger.kind);
  return itemPlace(trigger) ?? (trigger.case === undefined ? word : `${word} ${trigger.case}`);
}

/** The stages and agents that began with its last words. */
const HandedOn = ({
  talk,
  run,
  provenance,
}: Pick<EntriesProps['of'], 'talk' | 'provenance'> & { readonly run: string }) => {
  const last = talk.entries.findLast(({ message }) => message.role === 'assistant')?.op;
  const went = last === undefined ? [] : provenance.went(last).filter(({ how }) => how === 'input');
  if (went.length === 0) return null;
  return (
    <li class="talk-entry">
      <span class="talk-when" />
      <div>
        {went.slice(0, MOST_WENT).map(({ op }) => {
          const place = provenance.runs.at(op);
          return (
            place !== undefined && (
              <p key={op} class="talk-who line small-text soft">
                <Icon name="routed" />
                handed on to{' '}
                <a href={runHref(run, 'conversation', { query: { session: place.session } })}>
                  <strong>{place.agent}</strong>
                </a>
                <TriggerTag trigger={place.trigger.kind} word={wayWords(place.trigger)} />
                <OpRef run={run} op={op} />
              </p>
            )
          );
        })}
        {went.length > MOST_WENT && <p class="faint">and {went.length - MOST_WENT} more</p>}
      </div>
    </li>
  );
};
