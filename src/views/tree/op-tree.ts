// The op tree: run → sessions → turns → ops, with who, why, when, what it cost and how it ended.
// OPTREE-1. A node is rebuilt only when something in or below it changed, so that a live tree of hundreds of sessions
//           costs one path per event. What `tree()` gave out is never changed.
// OPTREE-2. Money is counted from the same lines as the ledger: the root's inclusive total is the ledger's.
// OPTREE-3. A call that was refused is a row of its turn, also where it has no op: its path lies below the model op.

import type { RestingWork } from '../../base/text/steps.ts';
import type {
  Attempt,
  InstantOp,
  ModelDetail,
  OpEnd,
  OpStart,
  RunEnd,
  RunEvent,
  RunStart,
} from '../../journal/event.ts';
import { opEndState } from '../../journal/op-end-state.ts';
import type { AskedCall } from '../../kernel/approval.ts';
import type { Broadcast, SessionRef, Trigger, Verdict } from '../../kernel/effect.ts';
import type { ToolResult } from '../../kernel/message.ts';
import type { Outcome } from '../../kernel/outcome.ts';
import type { OpPath } from '../../kernel/path.ts';
import { serverQuestionIn } from '../../kernel/server-question.ts';
import { signInIn } from '../../kernel/sign-in.ts';
import type { SpawnId } from '../../kernel/spawned.ts';
import { triggerTraits } from '../../patterns/trigger-traits.ts';
import { type LedgerLine, ledgerLineFold } from '../costs/calls.ts';
import type { ViewOptions } from '../costs/ledger.ts';
import { count } from '../costs/totals.ts';
import { Lineage } from '../lineage.ts';
import { passedOverIn } from '../passed-over.ts';
import { JudgedRounds } from './judged-rounds.ts';
import { MapItems } from './map-items.ts';
import { OpBranches } from './op-branches.ts';
import { buildNode, buildSteps, type GrowingNode, type OpNode, touch } from './op-node.ts';
import { Refusals, type RefusedAnswer, type RefusedCall } from './refusals.ts';
import { shortWhy } from './short-why.ts';
import { type SpawnNames, spawnNames } from './spawn-names.ts';
import { spawnTimes } from './spawn-times.ts';

export type { OpNode, OpState } from './op-node.ts';

export function opTree(events: Iterable<RunEvent>, options: ViewOptions = {}): OpNode {
  const fold = new OpTreeFold();
  for (const event of events) fold.add(event);
  if (options.live !== true) fold.settle();
  return fold.tree();
}

export class OpTreeFold {
  readonly #runs = new Lineage();
  readonly #nodes = new OpBranches(this.#runs);
  /** Nodes that have begun and not ended. */
  readonly #open = new Set<GrowingNode>([this.#nodes.root]);
  /** The latest compaction of each session that no turn has followed yet. */
  readonly #summaries = new Map<SessionRef, GrowingNode>();
  readonly #names = spawnNames();
  readonly #spawns = spawnTimes();
  readonly #calls = ledgerLineFold((line) => charge(this.#nodes.nearest(line.path), line), this.#runs);
  readonly #rounds = new JudgedRounds(
    {
      judged: (place, { rounds }) => this.#know(place, { rounds }),
      unmet: (place) => this.#know(place, { unmet: true }),
      found: (path, { good }) => this.#know(path, { good }),
      sentBack: (answerer, why) => this.#judgeTurn(answerer, why),
    },
    this.#runs,
  );
  readonly #items = new MapItems((place, items) => this.#know(place, { items }), this.#runs);
  readonly #refusals = new Refusals(
    { answer: (refused) => this.#sendBack(refused), call: (refused) => this.#refuse(refused) },
    this.#runs,
  );

  tree(): OpNode {
    return buildNode(this.#nodes.root);
  }

  /** The same, for a large tree. */
  treeSteps(): RestingWork<OpNode> {
    return buildSteps(this.#nodes.root);
  }

  add(event: RunEvent): void {
    this.#calls.add(event);
    this.#names.add(event);
    this.#spawns.add(event);
    this.#place(event);
    this.#rounds.add(event);
    this.#items.add(event);
    this.#refusals.add(event); // OPTREE-3: an op that was refused has its row by now
  }

  #place(event: RunEvent): void {
    switch (event.type) {
      case 'run-start':
        return this.#startRun(event);
      case 'op-start':
        return this.#start(event);
      case 'attempt':
        return this.#attempt(event);
      case 'op-end':
        return this.#end(event);
      case 'op':
        return this.#instant(event);
      case 'run-resume':
        return this.#resume();
      case 'run-end':
        return this.#endRun(event);
      default:
    }
  }

  /** No process works on the run any more: what has begun and not ended is in doubt. */
  settle(): void {
    this.#calls.settle();
    for (const node of this.#open) setState(node, 'in-doubt');
  }

  #startRun(event: RunStart): void {
    const { root } = this.#nodes;
    Object.assign(root.about, { startedAt: event.at, agent: event.agent, trigger: 'start' });
    touch(root);
  }

  #start(event: OpStart): void {
    const again = this.#nodes.at(event.path);
    const { agent } = this.#runs.at(event.path) ?? {};
    const about = {
      ...(agent !== undefined && { agent }),
      ...aboutOf(event, this.#names),
      ...this.#spawns.at(event.path),
    };
    const node = again ?? this.#nodes.grow(event, event.op, about);
    if (again !== undefined) node.attempts++;
    this.#open.add(node);
    setState(node, 'running');
    if (event.op.kind === 'model') this.#useSummary(event.op, node);
  }

  /** The next request of a session tells whether its summary was taken. */
  #useSummary({ session, compact, compacted }: ModelDetail, node: GrowingNode): void {
    const summary = this.#summaries.get(session);
    this.#summaries.delete(session);
    if (compact !== undefined) this.#summaries.set(session, node);
    else if (summary?.state === 'done' && compacted === undefined) {
      summary.state = 'refused';
      summary.why = 'the reply was no summary of the form that was asked for';
      touch(summary);
    }
  }

  #attempt({ path, then }: Attempt): void {
    const node = this.#nodes.at(path);
    if (node === undefined) return;
    if (then.kind !== 'give-up') node.attempts++;
    touch(node);
  }

  #end(event: OpEnd): void {
    const node = this.#nodes.at(event.path);
    if (node === undefined) return;
    this.#open.delete(node);
    node.endedAt = event.at;
    node.state = opEndState(event);
    if (!event.result.ok) node.fault = event.result.fault;
    else if (event.kind === 'run' || event.kind === 'say') tookCases(node, event.result.value as Outcome);
    const passedOver = passedOverIn(event);
    if (passedOver !== undefined) node.about = { ...node.about, passedOver };
    if (event.kind === 'approval' && event.result.ok) approved(node, event.result.value as Verdict);
    if (node.state === 'denied') node.why = (event.result as { readonly value: Verdict }).value.note ?? '';
    if (event.kind === 'tool' && event.result.ok && node.state === 'failed') {
      const { text } = event.result.value as ToolResult;
      if (text) node.why = shortWhy(text);
    }
    touch(node);
  }

  #instant(event: InstantOp): void {
    const about = { path: event.path, kind: event.kind, startedAt: event.at, ...saidIn(event, this.#names) };
    const node = this.#nodes.grow(event, event, about);
    node.endedAt = event.at;
    node.state = 'done';
  }

  #sendBack({ path, why }: RefusedAnswer): void {
    const turn = this.#nodes.at(path)?.parent;
    if (turn === undefined) return;
    turn.why = why;
    touch(turn);
  }

  #know(place: OpPath, more: Pick<OpAbout, 'rounds' | 'unmet' | 'good' | 'items'>): void {
    const node = this.#nodes.at(place);
    if (node === undefined) return;
    node.about = { ...node.about, ...more };
    touch(node);
  }

  #judgeTurn(answerer: OpPath, why: string): void {
    const turn = this.#nodes.turnOf(answerer);
    if (turn === undefined) return;
    turn.why = why;
    turn.isSentBack = true;
    touch(turn);
  }

  /** OPTREE-3 */
  #refuse({ path, reply, agent, name, call, why, at, partly }: RefusedCall): void {
    const turn = this.#nodes.at(reply)?.parent;
    if (turn === undefined) return;
    const about = { path, kind: 'tool', agent, name, startedAt: at, ...(call !== undefined && { call }) } as const;
    const node = this.#nodes.at(path) ?? this.#nodes.growIn(turn, about);
    node.endedAt ??= at;
    if (partly !== true) node.state = 'refused';
    node.why = why;
    touch(node);
  }

  /** Runs are driven again after a resume; a call that was out when the process died is in doubt until asked again. */
  #resume(): void {
    for (const node of this.#open) setState(node, CALLS.has(node.about.kind) ? 'in-doubt' : 'running');
  }

  #endRun({ at, outcome }: RunEnd): void {
    const { root } = this.#nodes;
    this.#open.delete(root);
    root.endedAt = at;
    root.state = outcome.kind;
    if ('fault' in outcome) root.fault = outcome.fault;
    tookCases(root, outcome);
    this.settle();
    touch(root);
  }
}

/** An outcome passes through the runs that only hand it up. The cases stand at the agent whose file has the branch. */
function tookCases(node: GrowingNode, { cases }: Outcome): void {
  if (cases === undefined) return;
  const isOwn = node.children.some(({ about }) => about.case !== undefined);
  const isPassedOn = node.children.some(({ about }) => about.cases !== undefined);
  if (isOwn || !isPassedOn) node.about = { ...node.about, cases };
}

const CALLS: ReadonlySet<string> = new Set(['model', 'compact', 'tool']);

/** Notes the person behind a verdict, the reach of a yes, and the op from which one came. */
function approved(node: GrowingNode, { by, scope, under }: Verdict): void {
  if (by !== undefined) node.about = { ...node.about, by };
  if (scope !== undefined) node.about = { ...node.about, scope };
  if (under !== undefined) node.about = { ...node.about, under };
}

function setState(node: GrowingNode, state: 'running' | 'in-doubt'): void {
  node.state = state;
  touch(node);
}

/** A call is its own up to the run that made it, and inclusive up to the root (OPTREE-2). */
function charge(called: GrowingNode | undefined, line: LedgerLine): void {
  let own = true;
  for (let node = called; node !== undefined; node = node.parent) {
    if (own) count(node.own, line);
    count(node.inclusive, line);
    if (node.about.kind === 'run' || node.about.kind === 'say') own = false;
  }
  if (called === undefined) return;
  if (line.model !== '') called.about = { ...called.about, model: line.model };
  touch(called);
}

/** The text of a broadcast and its sender; the labels of the runs, for a spawn or a message to one. */
function saidIn({ kind, detail, value }: InstantOp, names: SpawnNames): Partial<OpAbout> {
  if (kind === 'spawn') return { name: labelsIn(detail) };
  if (kind === 'send') return { name: names.of((detail as { readonly run: SpawnId }).run) };
  if (kind !== 'post') return {};
  const { number, memberId, message } = value as Broadcast;
  return { agent: memberId, name: `#${number} ${memberId}: ${beginning(message)}` };
}

function labelsIn(detail: unknown): string {
  const { orders = [] } = detail as { readonly orders?: readonly { readonly label?: string }[] };
  return beginning(orders.flatMap(({ label }) => label ?? []).join(', '));
}

function beginning(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length <= 48 ? line : `${line.slice(0, 47)}…`;
}

type OpAbout = GrowingNode['about'];

function aboutOf({ path, at, op }: OpStart, names: SpawnNames): OpAbout {
  const about = { path, kind: op.kind, startedAt: at };
  switch (op.kind) {
    case 'model': {
      const model = { agent: op.agent, turn: op.turn, session: op.session, model: op.models[0] ?? '' };
      return { ...about, ...model, ...(op.compact && { kind: 'compact', replaces: op.compact }) };
    }
    case 'tool':
      return {
        ...about,
        agent: op.agent,
        name: op.call.name,
        call: op.call.id,
        ...(op.trigger && triggered(op.trigger, names)),
      };
    case 'run':
      return { ...about, ...triggered(op.trigger, names) };
    case 'say':
      return { ...about, session: op.session };
    case 'approval':
      return { ...about, name: askedAbout(op.about) };
    case 'await-runs':
    case 'cancel-runs':
      return { ...about, name: op.runs.map(names.of).join(', ') };
  }
}

/** The tool whose call a person is asked about. Other questions have no call. */
const askedAbout = (about: unknown): string =>
  serverQuestionIn(about) !== undefined
    ? `what ${serverQuestionIn(about)?.server} asks`
    : signInIn(about) === undefined
      ? ((about as Partial<AskedCall> | undefined)?.name ?? 'a call')
      : 'a sign-in';

/** The key of an agent file that led to a run. */
const patternOf = (trigger: Trigger): string | undefined =>
  trigger.kind === 'start' ? undefined : triggerTraits(trigger).pattern;

function triggered(trigger: Trigger, names: SpawnNames): Partial<OpAbout> {
  const {
    kind,
    means: _means,
    depth: _depth,
    correlation_id: _id,
    task_sha256: _task,
    preview: _preview,
    ...chain
  } = trigger;
  const pattern = patternOf(trigger);
  const label = chain.spawned === undefined ? undefined : names.of(chain.spawned);
  return { trigger: kind, ...(pattern !== undefined && { pattern }), ...(label !== undefined && { label }), ...chain };
}
