// The op tree of a run as indented text: who did what, how it ended, how long it took and what it cost.

import { personWord } from '../../kernel/person-words.ts';
import * as amounts from '../../views/amounts.ts';
import { passedOverWords } from '../../views/passed-over.ts';
import { replacedWords } from '../../views/replaced-words.ts';
import { casesThatStood, itemPlace, itemWords } from '../../views/step-words.ts';
import type { OpNode, OpState } from '../../views/tree/op-tree.ts';
import { shortWhy } from '../../views/tree/short-why.ts';
import { namesHere } from '../screen/reader.ts';
import type { Paint } from '../screen/terminal.ts';
import { cutToWidth, fitText, oneLine, padText, widestOf, widthOf } from './width.ts';

interface TreeRow {
  readonly lead: string;
  /** The prefix of a further line of this row: the lines that lead to the rows below it. */
  readonly rail: string;
  readonly label: string;
  readonly tags: string;
  readonly node: OpNode;
}

/** Columns at the right: outcome, time, tokens and cost. */
const FACTS = 42;
/** The longest row to whose length rows are padded, without a width. Nothing is cut then. */
const FILLED = 160;

export function treeText(
  root: OpNode,
  options: { readonly paint: Paint; readonly columns?: number },
): readonly string[] {
  const rows: TreeRow[] = [];
  collect(root, '', '', rows);
  const widest = widestOf(rows, ({ lead, label, tags }) => widthOf(lead + label + tags) + 1);
  const room = Math.min(widest, options.columns === undefined ? FILLED : Math.max(20, options.columns - FACTS));
  return rows.flatMap((row) => rowLines(row, room, options));
}

/** Leaves out nodes that say nothing by themselves, and shows what is in them in their place. */
function collect(node: OpNode, lead: string, below: string, rows: TreeRow[]): void {
  const children = node.children.flatMap(shownIn);
  const rail = `${below}${children.length > 0 ? '│ ' : '  '}`;
  rows.push({ lead, rail, label: labelOf(node), tags: tagsOf(node), node });
  children.forEach((child, index) => {
    const last = index === children.length - 1;
    collect(child, `${below}${last ? '└ ' : '├ '}`, `${below}${last ? '  ' : '│ '}`, rows);
  });
}

/** Ops that replay needs and that tell a reader nothing. */
const SILENT: ReadonlySet<string> = new Set([
  'take',
  'clock',
  'parallel',
  'begin',
  'runs',
  'close',
  'announce',
  'preview',
]);

function shownIn(node: OpNode): readonly OpNode[] {
  if (node.kind === 'session') return node.children.flatMap(shownIn);
  if (SILENT.has(node.kind)) return [];
  if (node.kind !== 'turn') return [node];
  // The turn stands for its model call.
  const inside = node.children.filter(({ kind }) => kind !== 'model');
  const model = node.children.find(({ kind }) => kind === 'model');
  // The reason stands with the call, if it was one.
  const hasOwnRow = inside.some(({ state }) => state === 'refused');
  const refused = node.why === undefined ? {} : { state: node.state, ...(!hasOwnRow && { why: node.why }) };
  const inclusive = model?.inclusive ?? node.inclusive;
  return [{ ...(model ?? node), ...refused, kind: 'turn', children: inside, inclusive }];
}

function labelOf(node: OpNode): string {
  switch (node.kind) {
    case 'run':
      return node.agent ?? '';
    case 'turn':
      return `turn ${node.turn ?? '?'}`;
    case 'tool':
      return node.name ?? 'tool';
    case 'say':
      return `${node.agent ?? 'a session'}, again`;
    case 'post':
      return `${node.name ?? 'a broadcast'}`;
    case 'approval':
      return node.name === 'ask_person' ? 'a question to a person' : `a person asked about ${node.name ?? 'a call'}`;
    case 'spawn':
      return `spawned ${node.name ?? ''}`.trimEnd();
    case 'await-runs':
      return `waited for ${node.name || 'others'}`;
    case 'cancel-runs':
      return `cancelled ${node.name || 'others'}`;
    case 'send':
      return `sent a message to ${node.name ?? 'a run'}`;
    default:
      return node.kind;
  }
}

function tagsOf(node: OpNode): string {
  const tags: string[] = [];
  if (node.trigger !== undefined && node.trigger !== 'start' && node.trigger !== 'call')
    tags.push(node.label === undefined ? node.trigger : `${node.trigger} ${node.label}`);
  if (node.chainParent !== undefined) tags.push(`after ${node.chainParent.replace(/^agent__/, '')}`);
  if (node.case !== undefined) tags.push(`case ${oneLine(node.case)}`);
  for (const one of casesThatStood(node)) tags.push(`case ${oneLine(one)}, its answer stands`);
  if (node.round !== undefined && node.of !== undefined) tags.push(`round ${node.round + 1} of ${node.of}`);
  if (node.good !== undefined) tags.push(node.good ? 'good' : 'not good');
  if (node.rounds !== undefined) tags.push(amounts.plural(node.rounds, 'round'));
  if (node.unmet) tags.push('unmet');
  const place = itemPlace(node);
  if (place !== undefined) tags.push(place);
  if (node.items !== undefined) tags.push(itemWords(node.items));
  if (node.chainStageIndex !== undefined) tags.push(`stage ${node.chainStageIndex}`);
  if (node.by !== undefined) tags.push(`by ${oneLine(personWord(node.by, namesHere()))}`);
  if (node.scope !== undefined) tags.push('for the rest of the run');
  if (node.under !== undefined) tags.push(`the yes of ${node.under}`);
  if (node.replaces !== undefined) tags.push(replacedWords(node.replaces));
  if ((node.kind === 'turn' || node.kind === 'compact') && node.model) tags.push(node.model);
  if (node.attempts > 1) tags.push(`${node.attempts} attempts`);
  if (node.passedOver !== undefined) tags.push(oneLine(passedOverWords(node.passedOver)));
  return tags.length === 0 ? '' : ` (${tags.join(', ')})`;
}

function rowLines(
  { lead, rail, label, tags, node }: TreeRow,
  room: number,
  { paint, columns }: { readonly paint: Paint; readonly columns?: number },
): readonly string[] {
  const name = columns === undefined ? label : cutToWidth(label, Math.max(4, room - widthOf(lead) - 1));
  const free = Math.max(0, room - widthOf(lead) - widthOf(name));
  const rest = columns === undefined ? padText(tags, free) : fitText(tags, free);
  const styled = node.kind === 'run' ? paint('strong', name) : name;
  const line = `${paint('faint', lead)}${styled}${paint('faint', rest)} ${factsText(node, paint)}`.trimEnd();
  const why = whyOf(node);
  if (why === '') return [line];
  return [
    line,
    paint('faint', rail) + paint('error', columns === undefined ? why : cutToWidth(why, columns - widthOf(rail))),
  ];
}

function whyOf({ fault, why }: OpNode): string {
  return fault === undefined ? oneLine(shortWhy(why ?? '')) : `${oneLine(fault.message)} (${fault.code})`;
}

const STATE_WIDTH = 11;
const WORDS: Partial<Record<string, string>> = { done: 'ok', 'sent-back': 'sent back', asks: 'asks first' };

function factsText(node: OpNode, paint: Paint): string {
  const state = node.fault?.code === 'tool/in-doubt' ? 'in-doubt' : node.state;
  const word = fitText(WORDS[state] ?? state, STATE_WIDTH);
  const { usd, unpriced, input, output, calls } = node.inclusive;
  const facts = [
    fitText(node.ms === undefined ? '' : amounts.duration(node.ms), 7, 'right'),
    fitText(input + output === 0 ? '' : `${amounts.tokens(input + output)} tok`, 8, 'right'),
    fitText(calls === 0 ? '' : costOf({ usd, unpriced }), 9, 'right'),
  ];
  return `${stateTone(state, word, paint)} ${paint('faint', facts.join(' '))}`;
}

function stateTone(state: OpState, word: string, paint: Paint): string {
  if (state === 'done' || state === 'asks') return paint('faint', word);
  if (state === 'answered' || state === 'routed' || state === 'left') return paint('good', word);
  return paint(state === 'running' || state === 'in-doubt' || state === 'sent-back' ? 'warning' : 'error', word);
}

const costOf = ({ usd, unpriced }: { usd: number | undefined; unpriced: number }): string =>
  usd === undefined ? '$?' : `${unpriced > 0 ? '≥' : ''}${amounts.usd(usd)}`;
