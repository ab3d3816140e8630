// The entries of one conversation: what its session was told and by whom, what it said, its calls with their results, and
// how it went on.

import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { RunStart } from '../../../../src/journal/event.ts';
import type { ProvenanceFold } from '../../../../src/views/talk/provenance.ts';
import type { Conversation } from '../../../../src/views/talk/transcript.ts';
import type { OpNode } from '../../../../src/views/tree/op-tree.ts';
import type { RecordedRun } from '../../data/recorded-run.ts';
import { HandedOn } from './handed-on.tsx';
import { Reply } from './reply.tsx';
import { System } from './system.tsx';
import type { Shown } from './talk.ts';
import { Told } from './told.tsx';

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
  const { lines } = data.ledger.value;
  const tree = data.tree.value;
  const sentBack = useMemo(() => sentBackIn(tree), [tree]);
  return (
    <ol class="talk-entries" aria-label={`Conversation of ${talk.agent}`}>
      {range.from === 0 ? (
        <System talk={talk} data={data} isPlain={isPlain} />
      ) : (
        <li class="talk-more tiny-text faint">{aboveWords(range.from)}</li>
      )}
      {shown.slice(range.from, range.to).map((one) => (
        <li
          key={one.key}
          data-key={one.key}
          class={one.entry.op === props.selected ? 'cols talk-entry selected' : 'cols talk-entry'}
        >
          {one.kind === 'told' ? (
            <Told one={one} earlier={earlier.get(one.key)} {...{ start, data, provenance, isPlain }} />
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
      {range.to < shown.length && <li class="talk-more tiny-text faint">{shown.length - range.to} more below</li>}
      {props.children}
      <HandedOn talk={talk} run={data.run} provenance={provenance} />
    </ol>
  );
};

const aboveWords = (count: number): string =>
  count === 1 ? '1 earlier entry above' : `${count} earlier entries above`;

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
