// An entry that a session was told, and by whom: a request with its parts, a message, an earlier message of the thread.

import type { RunStart } from '../../../../src/journal/event.ts';
import type { ProvenanceFold } from '../../../../src/views/talk/provenance.ts';
import type { OpNode } from '../../../../src/views/tree/op-tree.ts';
import type { RecordedRun } from '../../data/recorded-run.ts';
import { SentFiles } from '../../parts/file-picker.tsx';
import { TextBlock } from '../../parts/text-block.tsx';
import { sinceStart } from '../../parts/times.tsx';
import { Earlier, OpRef } from './entry-parts.tsx';
import { partsOf, type Shown } from './talk.ts';

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

export const Told = ({ one, earlier, start, data, provenance, isPlain }: ToldProps) => {
  const { run } = data;
  const told = provenance.told(one.entry.op);
  const asked = told.find(({ how }) => how === 'asked')?.op;
  const by = asked === undefined ? undefined : provenance.runs.above(asked)?.agent;
  const isEarlier = one.entry.history === true;
  const isYou = isEarlier || (by === undefined && told.some(({ how }) => how === 'request' || how === 'message'));
  return (
    <>
      <span class="talk-when num tiny-text faint">{isEarlier ? '' : sinceStart(one.entry.at, start.at)}</span>
      <div>
        <p class="talk-who gaps-6 line small-text soft">
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
            <ToldPart key={`${index} ${part.heading ?? part.from ?? ''}`} of={part} data={data} />
          ))
        )}
        {one.files !== undefined && <SentFiles run={run} files={one.files} />}
      </div>
    </>
  );
};

interface PartProps {
  readonly of: ReturnType<typeof partsOf>[number];
  readonly data: ToldProps['data'];
}

const ToldPart = ({ of: { heading, from, text }, data }: PartProps) => (
  <div>
    {heading !== undefined && (
      <p class="talk-heading tiny-text soft strong breaks">
        <Heading text={heading} />
      </p>
    )}
    {from !== undefined && (
      <p class="talk-heading small-text">
        From <strong>{from}</strong> <OpRef run={data.run} op={advisorOf(data.tree.value, from)} />
      </p>
    )}
    {text !== '' && <TextBlock text={text} as="markdown" />}
  </div>
);

/** Names in a heading of the contract stand between backticks. */
const Heading = ({ text }: { readonly text: string }) => (
  <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>
);
