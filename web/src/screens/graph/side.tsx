// The sessions of one agent of the graph: at work, waiting and ended, each with its words and figures.

import { duration, plural } from '../../../../src/views/amounts.ts';
import type { GraphLoop } from '../../../../src/views/graph-loops.ts';
import { briefDoing } from '../../../../src/views/progress/doing-now.ts';
import type { SessionProgress } from '../../../../src/views/progress/progress.ts';
import {
  countSessions,
  countWords,
  groupOf,
  isOpen,
  type SessionGroup,
} from '../../../../src/views/progress/session-counts.ts';
import type { GraphEdgeState, GraphNodeState, GraphState } from '../../../../src/views/run-graph.ts';
import { opHref, runHref } from '../../app/addresses.ts';
import { LinkButton, SheetClose } from '../../parts/controls.tsx';
import { Figures, Section } from '../../parts/panel.tsx';
import { StateMark, StateWord, stateOf } from '../../parts/state.tsx';
import { costText } from '../run/run-facts.ts';
import type { BoxWords } from './box-words.ts';
import type { Box } from './picture.ts';

/** The number of boxes from which on the rest is counted. */
const MOST = 50;

interface Props {
  readonly of: Box;
  readonly words: BoxWords;
  readonly run: string;
  readonly state: GraphState;
  readonly now: number;
  readonly onClose: () => void;
}

export const NodeSide = ({ of: { name, description }, words, run, state, now, onClose }: Props) => {
  const node = state.nodes.get(name);
  const loops = loopsAt(name, state);
  const first = node?.sessions[0];
  const from = state.edges.filter(({ to }) => to === name);
  return (
    <aside class="side" aria-label={`${name}, its sessions`}>
      <NodeHead name={name} node={node} words={words} from={from} onClose={onClose} />
      <div class="panel-body" tabIndex={0}>
        {description !== undefined && <p class="soft small-text">{description}</p>}
        {node === undefined && loops.length === 0 && <p class="faint">Nothing has led here at this point.</p>}
        {loops.map((loop) => (
          <Rounds key={`${loop.agent} ${loop.judge}`} run={run} loop={loop} whose={loop.agent === name} />
        ))}
        {GROUPS.map(({ title, has }) => (
          <Sessions
            key={title}
            title={title}
            of={node?.sessions.filter((one) => has(groupOf(one))) ?? []}
            {...{ run, now }}
          />
        ))}
      </div>
      {first !== undefined && (
        <div class="panel-foot">
          <LinkButton href={opHref(run, mostTelling(node?.sessions ?? []) ?? first.session)}>Timeline</LinkButton>
          <LinkButton href={runHref(run, 'conversation', { query: { session: first.session } })}>
            Conversation
          </LinkButton>
        </div>
      )}
    </aside>
  );
};

interface HeadProps extends Pick<Props, 'words' | 'onClose'> {
  readonly name: string;
  readonly node: GraphNodeState | undefined;
  /** The edges that led to it. */
  readonly from: readonly GraphEdgeState[];
}

const NodeHead = ({ name, node, words, from, onClose }: HeadProps) => (
  <div class="panel-head">
    {from.length > 0 && (
      <div class="crumbs line tiny-text faint wraps">
        {from.map((edge) => (
          <span key={`${edge.from} ${edge.kind} ${edge.case ?? ''}`}>
            {edge.from} › {edge.kind}
            {edge.case !== undefined && ` ${edge.case}`}
            {edge.used > 1 && ` × ${edge.used}`}
          </span>
        ))}
      </div>
    )}
    <h2>
      <span class="cut">{name}</span>
      {words.state !== 'none' && <StateWord state={words.state} word={words.doing} />}
      <span class="grow" />
      <SheetClose onPress={onClose} />
    </h2>
    {node !== undefined && (
      <Figures
        as="facts"
        of={[
          words.items === undefined
            ? { name: 'sessions', value: node.sessions.length }
            : { name: 'items', value: words.items.answered },
          { name: 'model calls', value: node.own.calls },
          { name: 'time', value: words.time },
          { name: 'cost', value: words.cost },
        ]}
      />
    )}
  </div>
);

/** The loops of an agent, and those in which it judges. */
const loopsAt = (name: string, { loops }: GraphState): readonly GraphLoop[] =>
  [...loops.values()].filter(({ agent, judge }) => agent === name || judge === name);

const Rounds = ({ run, loop, whose }: { readonly run: string; readonly loop: GraphLoop; readonly whose: boolean }) => (
  <Section
    title={whose ? `Rounds, judged by ${loop.judge}` : `Rounds of ${loop.agent}`}
    aside={`${loop.rounds.length} of ${loop.of}`}
  >
    <ol class="cols graph-rounds">
      {loop.rounds.slice(-MOST).map(({ op, good, why = '' }, place, all) => (
        <li key={op}>
          <a href={opHref(run, op)}>{loop.rounds.length - all.length + place + 1}</a>
          <span>{good === undefined ? 'is judged' : good ? 'good' : 'not good'}</span>
          <span class="why faint pre breaks scrolls" dir="auto" tabIndex={why.length > LONG_WHY ? 0 : undefined}>
            {why}
          </span>
        </li>
      ))}
    </ol>
  </Section>
);

/** Longer than this it scrolls. */
const LONG_WHY = 300;

const GROUPS: readonly { readonly title: string; readonly has: (group: SessionGroup) => boolean }[] = [
  { title: 'Asks you', has: (group) => group === 'asking' },
  { title: 'At work', has: (group) => group === 'at work' },
  { title: 'Waits', has: (group) => group === 'waiting' },
  { title: 'Queued', has: (group) => group === 'queued' },
  { title: 'Ended', has: (group) => !['asking', 'at work', 'waiting', 'queued'].includes(group) },
];

/** The session that a person wants to see of an agent: one that goes on, else the latest. */
export const mostTelling = (sessions: readonly SessionProgress[]): string | undefined =>
  (sessions.find(isOpen) ?? sessions.at(-1))?.session;

const Sessions = (props: {
  readonly title: string;
  readonly of: readonly SessionProgress[];
  readonly run: string;
  readonly now: number;
}) => {
  const { title, of, run, now } = props;
  if (of.length === 0) return null;
  return (
    <Section title={title} aside={title === 'Ended' ? countWords(countSessions(of)).join(', ') : of.length}>
      {of.slice(0, MOST).map((one) => (
        <a key={one.session} class="cols graph-session small-text soft ruled" href={opHref(run, one.session)}>
          <StateMark state={stateOf(one.activity)} />
          <span class="cut" dir="auto">
            {wordsOf(one)}
          </span>
          <span class="num">{duration(Math.max(0, (one.endedAt ?? now) - one.startedAt))}</span>
          <span class="num">{one.totals.calls === 0 ? '–' : costText(one.totals)}</span>
        </a>
      ))}
      {of.length > MOST && <p class="faint small-text">{plural(of.length - MOST, 'more session')}</p>}
    </Section>
  );
};

function wordsOf(session: SessionProgress): string {
  const { label, place, task = '', snippet, said, activity, turn } = session;
  const text = snippet.trim() === '' ? (said?.text ?? task) : snippet.trim();
  const turns = turn === 0 ? '' : isOpen(session) ? `, turn ${turn}` : `, ${plural(turn, 'turn')}`;
  const why = activity.kind === 'failed' ? activity.fault.message.slice(0, 200) : text;
  return [label ?? '', place ?? '', `${briefDoing(session)}${turns}`, why].filter((part) => part !== '').join(': ');
}
