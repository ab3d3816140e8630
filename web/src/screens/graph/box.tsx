// One box of the graph: an agent with its state, what it does in words, and its figures.

import { plural } from '../../../../src/views/amounts.ts';
import type { SessionProgress } from '../../../../src/views/progress/progress.ts';
import { groupOf, isBadGroup } from '../../../../src/views/progress/session-counts.ts';
import type { GraphNodeState } from '../../../../src/views/run-graph.ts';
import { ShareBar } from '../../parts/share-bar.tsx';
import { familyOf, StateMark } from '../../parts/state.tsx';
import type { BoxItems, BoxWords } from './box-words.ts';
import type { Box } from './picture.ts';

/** More sessions than this are a bar with their counts. */
const MOST_CELLS = 40;

export const boxId = (name: string): string => `graph-${encodeURIComponent(name)}`;

interface Props {
  readonly box: Box;
  readonly node: GraphNodeState | undefined;
  readonly words: BoxWords;
  readonly chosen: boolean;
  readonly onChoose: () => void;
}

export const GraphBox = (props: Props) => {
  const { box, node, words, chosen } = props;
  const many = (node?.sessions.length ?? 0) > 1 || words.items !== undefined || box.isFolder;
  const family = words.state === 'none' ? 'none' : familyOf(words.state);
  return (
    <div
      id={boxId(box.name)}
      class={`graph-box boxed paper tiny-text soft s-${family}${many ? ' many' : ''}`}
      role="option"
      aria-selected={chosen}
      style={{ left: `${box.left}px`, top: `${box.top}px` }}
      onClick={props.onChoose}
    >
      <div class="graph-name line gaps-6 nowrap">
        {words.state === 'none' ? null : <StateMark state={words.state} />}
        <strong class="name cut" title={box.name}>
          {shortName(box.name)}
        </strong>
        {many && <span class="faint">{howMany(props)}</span>}
      </div>
      <div class="graph-doing cut" title={words.doing}>
        {words.doing}
      </div>
      {words.items !== undefined ? (
        <Items of={words.items} />
      ) : words.loop !== undefined ? (
        <Rounds of={words.loop} />
      ) : (
        <Middle box={box} node={node} quote={words.quote} />
      )}
      {node !== undefined && (
        <div class="graph-figures line ruled-above faint num">
          <span>{words.calls}</span>
          <span>{words.cost}</span>
          <span>{words.time}</span>
        </div>
      )}
    </div>
  );
};

const howMany = ({ box, node, words }: Props): string => {
  if (box.isFolder) return plural(box.agents.length, 'agent');
  return words.items === undefined ? `× ${node?.sessions.length}` : 'each';
};

/** The folder is cut away where the name alone says who is meant: it stands in the title. */
const shortName = (name: string): string => (name.endsWith('/') ? name : (name.split('/').at(-1) ?? name));

/** A cell for each answer that the agent may give. */
const Rounds = ({ of: { cells, words } }: { readonly of: NonNullable<BoxWords['loop']> }) => (
  <div class="graph-cells line gaps-2 wraps">
    {cells.map((cell, place) => (
      <i key={place} class={cell === 'none' ? '' : `c-${cell}`} aria-hidden="true" />
    ))}
    <span class="graph-round">{words}</span>
  </div>
);

const PART_FAMILIES = { good: 'good', bad: 'bad', asks: 'limit', live: 'live' } as const;

/** A cell for each item of a list, or a bar of very many. */
const Items = ({ of: { cells, parts } }: { readonly of: BoxItems }) =>
  cells.length === 0 ? (
    <ShareBar parts={parts.map(({ cell, share }) => ({ share, family: PART_FAMILIES[cell] }))} />
  ) : (
    <div class="graph-cells line gaps-2 wraps" aria-hidden="true">
      {cells.map((cell, place) => (
        <i key={place} class={cell === 'none' ? '' : `c-${cell}`} />
      ))}
    </div>
  );

/** A cell for each session, a dot for each broadcast, or what it writes. */
const Middle = ({ box, node, quote }: Pick<Props, 'box' | 'node'> & { readonly quote: string }) => {
  if (node === undefined) return <div class="graph-quote cut">{quote === '' ? box.description : quote}</div>;
  if (node.said.length > 0)
    return (
      <div class="graph-cells graph-said line gaps-2 wraps" aria-label={plural(node.said.length, 'broadcast')}>
        {node.said.slice(-12).map((number) => (
          <i key={number}>{number}</i>
        ))}
      </div>
    );
  if (node.sessions.length === 1)
    return (
      <div class="graph-quote cut" dir="auto">
        {quote === '' ? box.description : quote}
      </div>
    );
  if (node.sessions.length > MOST_CELLS) return <CountBar node={node} />;
  return (
    <div class="graph-cells line gaps-2 wraps" aria-hidden="true">
      {node.sessions.map((one) => (
        <i key={one.session} class={cellOf(one)} />
      ))}
    </div>
  );
};

function cellOf(session: SessionProgress): string {
  const group = groupOf(session);
  if (group === 'at work') return 'c-live';
  if (group === 'asking') return 'c-asks';
  return group === 'answered' ? 'c-good' : isBadGroup(group) ? 'c-bad' : '';
}

const CountBar = ({ node }: { readonly node: GraphNodeState }) => {
  const all = node.sessions.length;
  const bad = [...node.counts].reduce((sum, [group, count]) => sum + (isBadGroup(group) ? count : 0), 0);
  return (
    <ShareBar
      parts={[
        { share: (node.counts.get('answered') ?? 0) / all, family: 'good' },
        { share: bad / all, family: 'bad' },
        { share: (node.counts.get('at work') ?? 0) / all, family: 'live' },
      ]}
    />
  );
};
