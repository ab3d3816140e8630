// The name of a row of the timeline: a mark, who or what, and in words how it went.

import type { ComponentChildren } from 'preact';
import type { OutcomeKind } from '../../../../../src/kernel/fault.ts';
import * as amounts from '../../../../../src/views/amounts.ts';
import { limitWords } from '../../../../../src/views/limit-words.ts';
import { casesThatStood, itemPlace, itemWords } from '../../../../../src/views/step-words.ts';
import { nodeLimit } from '../../../../../src/views/tree/node-limit.ts';
import type { OpNode, OpState } from '../../../../../src/views/tree/op-tree.ts';
import { StateMark, type StateName, TriggerTag, triggerWord } from '../../../parts/state.tsx';
import { summedUp } from './bars.ts';
import { isBad, isRefusedCall, type Row, waitsForPerson } from './rows.ts';

export interface Doing {
  readonly words: string;
  readonly state: StateName;
}

/** A row as far as its name says it. */
export interface NamedRow {
  readonly row: Row;
  /** A second line: what an agent does now. */
  readonly doing?: Doing | undefined;
  /** The end of the run, while its journal is on its way: an op without an end does not go on. */
  readonly arriving: { readonly outcome?: OutcomeKind; readonly endedAt?: number } | undefined;
  readonly argument: string | undefined;
  readonly attempts: number;
}

/** Called, as is `limitOf`: a component of its own would have its properties copied for each row of each frame. */
export function nameOf(props: NamedRow): ComponentChildren {
  const { row } = props;
  const { node } = row;
  switch (row.kind) {
    case 'agent':
    case 'say':
      return agentNameOf(props, row.kind);
    case 'group':
      return (
        <>
          <StateMark state={groupState(row.group ?? [])} />
          <span class="who strong">{node.agent}</span>
          <span class="tag">× {row.group?.length}</span>
          <span class="what faint">{groupWords(row.group ?? [])}</span>
        </>
      );
    case 'turn':
      return turnNameOf(props);
    case 'op':
      return opNameOf(props);
    case 'instant':
      return (
        <>
          {isRefusedCall(node) ? <StateMark {...lookOfCall(node)} /> : <span class="dot mark-dot" />}
          <span class="what faint">{node.name === undefined ? node.kind : `${node.kind} ${node.name}`}</span>
          {isRefusedCall(node) && refusedWords(node)}
        </>
      );
  }
}

function agentNameOf(props: NamedRow, kind: 'agent' | 'say'): ComponentChildren {
  const { doing } = props;
  const { node } = props.row;
  return (
    <>
      <AgentMark {...props} />
      {doing === undefined ? (
        <>
          <AgentName node={node} kind={kind} />
          {limitOf(node)}
        </>
      ) : (
        <span class="two">
          <AgentName node={node} kind={kind} bare />
          <bdi class="what cut faint">{doing.words}</bdi>
        </span>
      )}
    </>
  );
}

function turnNameOf({ row: { node }, attempts }: NamedRow): ComponentChildren {
  return (
    <>
      {isBad(node) ? <StateMark state={node.state} /> : <span class="dot" />}
      <span>{`turn ${node.turn}`}</span>
      {attempts > 1 && <span class="what bad-words">{attempts} attempts</span>}
      {limitOf(node)}
      {node.state === 'refused' && <span class="what limit-words">sent back</span>}
      {node.state === 'sent-back' && sentBackWords(node)}
      <span class="what faint">{modelOf(node)}</span>
    </>
  );
}

function opNameOf(props: NamedRow): ComponentChildren {
  const { node } = props.row;
  return (
    <>
      {opMark(node)}
      {node.kind === 'tool' || node.kind === 'approval' ? <code>{node.name}</code> : <span>{opName(node)}</span>}
      {node.trigger !== undefined && <TriggerTag trigger={node.trigger} word={triggerText(node)} />}
      {isRefusedCall(node) && refusedWords(node)}
      {props.argument !== undefined && <bdi class="what faint mono">{props.argument}</bdi>}
      {node.kind === 'approval' && <span class="what faint">{waitsForPerson(node) ? 'asks you' : 'asked you'}</span>}
    </>
  );
}

function opMark(node: OpNode): ComponentChildren {
  if (isBad(node) || node.state === 'denied') return <StateMark {...lookOfCall(node)} />;
  if (waitsForPerson(node)) return <StateMark state="person" />;
  return <span class={OP_DOTS[node.kind] ?? 'dot wait'} />;
}

const OP_DOTS: Readonly<Record<string, string>> = { tool: 'dot tool', compact: 'dot', approval: 'dot person' };

/** A turn that was refused is sent back, a call is not made. */
const lookOfCall = (node: OpNode) =>
  isRefusedCall(node) ? { state: 'not-made' as const } : { state: node.state as StateName };

const sentBackWords = ({ why = '' }: OpNode): ComponentChildren => (
  <span class="what limit-words" dir="auto" title={why}>
    sent back: {why.slice(0, LONGEST_WHY)}
  </span>
);

/** `next refund`, `item 3 of 20`, `judge, round 2 of 4, not good` */
function triggerText(node: OpNode): string {
  const { trigger = '', case: taken, round, of, good } = node;
  const item = itemPlace(node);
  if (item !== undefined) return item;
  const said = good === undefined ? '' : good ? ', good' : ', not good';
  if (taken !== undefined) return `${triggerWord(trigger)} ${taken}`;
  return round === undefined ? triggerWord(trigger) : `${triggerWord(trigger)}, round ${round + 1} of ${of}${said}`;
}

const refusedWords = ({ why = '' }: OpNode): ComponentChildren => (
  <span class="what limit-words" dir="auto" title={why}>
    refused: {why.slice(0, LONGEST_WHY)}
  </span>
);

const LONGEST_WHY = 160;

/** `2 of 2 turns`: the limit that ended it. */
function limitOf(node: OpNode): ComponentChildren {
  const limit = isBad(node) ? nodeLimit(node) : undefined;
  return limit === undefined ? null : <span class="what limit-words">{limitWords(limit)}</span>;
}

const AgentMark = ({ row, doing, arriving }: NamedRow) => {
  const state = doing?.state ?? stateOf(row.node, row.endedAt);
  if (arriving === undefined || row.endedAt !== undefined) return <StateMark state={state} />;
  const known = row.depth === 0 ? arriving.outcome : undefined;
  return known === undefined ? <span class="dot wait" /> : <StateMark state={known} />;
};

/** `bare`: without why it ran, where a second line says what it does. */
const AgentName = (props: { readonly node: OpNode; readonly kind: 'agent' | 'say'; readonly bare?: boolean }) => {
  const { node, kind, bare = false } = props;
  return (
    <span class="name">
      <span class="who strong">{node.agent}</span>
      {kind === 'say' && <span class="what faint"> again</span>}
      {node.label !== undefined && <span class="tag">{node.label}</span>}
      {casesThatStood(node).map((one) => (
        <span key={one} class="tag">
          case {one}, its answer stands
        </span>
      ))}
      {node.rounds !== undefined && (
        <span class={node.unmet ? 'tag limit-words' : 'tag'}>
          {amounts.plural(node.rounds, 'round')}
          {node.unmet && ', unmet'}
        </span>
      )}
      {node.items !== undefined && <span class="tag">{itemWords(node.items)}</span>}
      {node.label === undefined &&
        node.trigger !== undefined &&
        node.trigger !== 'start' &&
        kind === 'agent' &&
        (!bare || node.index !== undefined) && (
          <TriggerTag
            trigger={node.trigger}
            word={node.insteadOf === undefined ? triggerText(node) : `instead of ${node.insteadOf}`}
          />
        )}
    </span>
  );
};

const modelOf = (turn: OpNode): string => turn.children.find(({ kind }) => kind === 'model')?.model ?? '';

const opName = (node: OpNode): string => {
  const { kind, name } = node;
  if (kind === 'compact') return `sums up ${summedUp(node)}`;
  return kind === 'cancel-runs' ? `cancels ${name}` : `waits for ${name}`;
};

function stateOf(node: OpNode, endedAt: number | undefined): StateName {
  if (waitsForPerson(node)) return 'person';
  return endedAt === undefined && node.state !== 'in-doubt' ? 'running' : (node.state as OpState);
}

function groupState(runs: readonly OpNode[]): StateName {
  if (runs.some(waitsForPerson)) return 'person';
  if (runs.some(({ state }) => state === 'running')) return 'running';
  return runs.find(isBad)?.state ?? runs[0]?.state ?? 'done';
}

/** `all answered`, or `103 running, 247 answered`. */
export function groupWords(runs: readonly OpNode[]): string {
  const counts = new Map<string, number>();
  for (const { state } of runs) counts.set(state, (counts.get(state) ?? 0) + 1);
  const [only] = counts.keys();
  return counts.size === 1 ? `all ${only}` : [...counts].map(([state, count]) => `${count} ${state}`).join(', ');
}
