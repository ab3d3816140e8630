// The op tree: run → sessions → turns → ops, with who, why, when, what it cost and how it ended.
// T1. A node is rebuilt only when something in or below it changed, so that a live tree of hundreds of sessions
//     costs one path per event. What `tree()` gave out is never changed.
// T2. Money is counted from the same lines as the ledger: the root's inclusive total is the ledger's.
// T3. Children stand in the order in which they began. A session that goes on after others were heard, as a supervisor's
//     does in each cycle of its team, stands once for each part of it.

import type { InstantOp, OpDetail, OpEnd, OpStart, RunEvent, RunStart } from '../journal/event.ts';
import type { Broadcast, Trigger, Verdict } from '../kernel/effect.ts';
import { FAULTS, type OutcomeKind } from '../kernel/fault.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { type OpPath, parentPath, ROOT } from '../kernel/path.ts';
import type { SpawnId } from '../kernel/spawned.ts';
import { helperName, type SubagentResult } from '../kernel/subagent.ts';
import { meaningOf } from '../patterns/catalog.ts';
import { callFold, type LedgerLine } from './calls.ts';
import { lineage } from './lineage.ts';
import type { ViewOptions } from './ledger.ts';
import { buildNode, type Growing, grow, type OpNode, touch } from './op-node.ts';
import { type Refusal, refusalFold } from './refusals.ts';
import { type SpawnNames, spawnNames } from './spawn-names.ts';
import { count } from './totals.ts';

export type { OpNode, OpState } from './op-node.ts';

export interface OpTreeFold {
  add(event: RunEvent): void;
  /** No process is at work on the run any more: what has begun and not ended is in doubt. */
  settle(): void;
  tree(): OpNode;
}

export function opTree(events: Iterable<RunEvent>, options: ViewOptions = {}): OpNode {
  const fold = opTreeFold();
  for (const event of events) fold.add(event);
  if (options.live !== true) fold.settle();
  return fold.tree();
}

export function opTreeFold(): OpTreeFold {
  const root = grow({ path: ROOT, kind: 'run', startedAt: 0 });
  const nodes = new Map<OpPath, Growing>([[ROOT, root]]);
  const sessions = new Map<OpPath, Growing>();
  const turns = new Map<OpPath, Growing>();
  const open = new Set<Growing>([root]);
  /** Sessions after whose last turn something else of their run began (T3). */
  const outrun = new Set<Growing>();
  const runs = lineage();
  const calls = callFold((line) => charge(nodes.get(line.path), line), runs);
  const names = spawnNames();
  const refusals = refusalFold((refusal) => refuse(refusal), runs);

  const containerOf = (path: OpPath): Growing => nodes.get(runs.above(path)?.path ?? ROOT) ?? root;
  const sessionIn = (container: Growing, at: number): Growing => {
    const known = sessions.get(container.path);
    if (known !== undefined && !outrun.has(known)) return known;
    const { session = container.path, agent } = runs.at(container.path) ?? {};
    const made = grow(
      { path: session, kind: 'session', startedAt: at, ...(agent !== undefined && { agent }) },
      container,
    );
    sessions.set(container.path, made);
    return made;
  };
  /** Below the run itself, beside its session. */
  const beside = (container: Growing): Growing => {
    const session = sessions.get(container.path);
    if (session !== undefined) outrun.add(session);
    return container;
  };
  /** Where an op hangs: a hop of a pattern below the run, mail in the session, the rest in the turn that asked for it. */
  const parentOf = (event: OpStart | InstantOp, op: OpDetail | Pick<InstantOp, 'kind'>): Growing => {
    const { path, at } = event;
    const spawn = nodes.get(parentPath(parentPath(path) ?? '') ?? '');
    if (spawn?.about.kind === 'spawn') return spawn; // a life that was launched there
    const container = containerOf(path);
    if (op.kind === 'run' && op.trigger.kind !== 'call' && op.trigger.kind !== 'spawn') return beside(container);
    if (op.kind === 'say' && op.seat !== undefined) return beside(container);
    if (event.type === 'op' && op.kind === 'post' && isAboutAnother(event, container)) return beside(container);
    if (op.kind === 'take') return sessions.get(container.path) ?? container;
    if (op.kind !== 'model') return turns.get(container.path) ?? container;
    const { turn, agent } = op;
    const made = grow({ path, kind: 'turn', startedAt: at, turn, agent }, sessionIn(container, at));
    turns.set(container.path, made);
    return made;
  };

  const startRun = (event: RunStart): void => {
    Object.assign(root.about, { startedAt: event.at, agent: event.agent, trigger: 'start' });
    touch(root);
  };
  const start = (event: OpStart): void => {
    const again = nodes.get(event.path);
    const { agent } = runs.at(event.path) ?? {};
    const about = { ...(agent !== undefined && { agent }), ...aboutOf(event, names) };
    const node = again ?? grow(about, parentOf(event, event.op));
    if (again !== undefined) node.attempts++;
    node.state = 'running';
    nodes.set(event.path, node);
    open.add(node);
    touch(node);
  };
  const end = (event: OpEnd): void => {
    const node = nodes.get(event.path);
    if (node === undefined) return;
    open.delete(node);
    node.endedAt = event.at;
    node.state = event.result.ok ? stateOf(event) : FAULTS[event.result.fault.code].outcome;
    if (!event.result.ok) node.fault = event.result.fault;
    if (node.state === 'denied') node.why = (event.result as { readonly value: Verdict }).value.note ?? '';
    touch(node);
  };
  const refuse = ({ path, why }: Refusal): void => {
    const turn = nodes.get(path)?.parent;
    if (turn === undefined) return;
    turn.why = why;
    touch(turn);
  };
  const instant = (event: InstantOp): void => {
    const about = { path: event.path, kind: event.kind, startedAt: event.at, ...saidIn(event, names) };
    const node = grow(about, parentOf(event, event));
    node.endedAt = event.at;
    node.state = 'done';
    nodes.set(event.path, node);
  };
  const endRun = (at: number, outcome: Outcome): void => {
    open.delete(root);
    root.endedAt = at;
    root.state = outcome.kind;
    if ('fault' in outcome) root.fault = outcome.fault;
    settle();
    touch(root);
  };
  const settle = (): void => {
    calls.settle();
    for (const node of open) setState(node, 'in-doubt');
  };
  /** Runs are driven again after a resume; a call that was out when the process died is in doubt until asked again. */
  const resume = (): void => {
    for (const node of open)
      setState(node, node.about.kind === 'model' || node.about.kind === 'tool' ? 'in-doubt' : 'running');
  };

  return {
    settle,
    tree: () => buildNode(root),
    add(event) {
      calls.add(event);
      names.add(event);
      refusals.add(event);
      switch (event.type) {
        case 'run-start':
          return startRun(event);
        case 'op-start':
          return start(event);
        case 'attempt': {
          const node = nodes.get(event.path);
          if (node !== undefined && event.then.kind !== 'give-up') node.attempts++;
          return node && touch(node);
        }
        case 'op-end':
          return end(event);
        case 'op':
          return instant(event);
        case 'run-resume':
          return resume();
        case 'run-end':
          return endRun(event.at, event.outcome);
        default:
      }
    },
  };
}

function setState(node: Growing, state: 'running' | 'in-doubt'): void {
  node.state = state;
  touch(node);
}

/** A call is its own up to the run that made it, and inclusive up to the root (T2). */
function charge(called: Growing | undefined, line: LedgerLine): void {
  let own = true;
  for (let node = called; node !== undefined; node = node.parent) {
    if (own) count(node.own, line);
    count(node.inclusive, line);
    if (node.about.kind === 'run' || node.about.kind === 'say' || node.about.kind === 'subagent') own = false;
  }
  if (called === undefined) return;
  if (line.model !== '') called.about = { ...called.about, model: line.model };
  touch(called);
}

function stateOf(event: OpEnd): OutcomeKind | 'done' | 'denied' {
  const { kind, result } = event;
  if (!result.ok) return FAULTS[result.fault.code].outcome;
  if (kind === 'run' || kind === 'say') return (result.value as Outcome).kind;
  if (kind === 'subagent') return helperState(result.value as SubagentResult);
  if (kind === 'approval') return (result.value as Verdict).approved ? 'done' : 'denied';
  return kind === 'tool' && (result.value as { status?: unknown }).status === 'error' ? 'failed' : 'done';
}

function helperState({ record }: SubagentResult): OutcomeKind {
  if (record.status === 'success') return 'answered';
  return record.status === 'timed_out' ? 'timed-out' : 'failed';
}

/** What was said, and by whom, where the op is a broadcast; who was sent off, where it is a spawn. */
function saidIn({ kind, detail, value }: InstantOp, names: SpawnNames): Partial<About> {
  if (kind === 'spawn') return { name: labelsIn(detail) };
  if (kind === 'send') return { name: names.of((detail as { readonly run: SpawnId }).run) };
  if (kind !== 'post') return {};
  const { number, memberId, message } = value as Broadcast;
  return { agent: memberId, name: `#${number} ${memberId}: ${beginning(message)}` };
}

/** Said of a member in the run of its team, and not by it: that it has left, or failed. */
const isAboutAnother = ({ detail, value }: InstantOp, { path, about }: Growing): boolean =>
  (detail as { readonly channel?: OpPath } | undefined)?.channel === path &&
  (value as Broadcast).memberId !== about.agent;

function labelsIn(detail: unknown): string {
  const { orders = [] } = detail as { readonly orders?: readonly { readonly label?: string }[] };
  return beginning(orders.flatMap(({ label }) => label ?? []).join(', '));
}

function beginning(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length <= 48 ? line : `${line.slice(0, 47)}…`;
}

type About = Growing['about'];

function aboutOf({ path, at, op }: OpStart, names: SpawnNames): About {
  const about = { path, kind: op.kind, startedAt: at };
  switch (op.kind) {
    case 'model':
      return { ...about, agent: op.agent, turn: op.turn, session: op.session, model: op.models[0] ?? '' };
    case 'tool':
      return { ...about, agent: op.agent, name: op.call.name, call: op.call.id };
    case 'run':
      return { ...about, ...triggered(op.trigger, names) };
    case 'say':
      return { ...about, session: op.session };
    case 'approval':
      return { ...about, name: 'approve' };
    case 'subagent':
      return { ...about, agent: helperName(op.agent), name: 'subagent', ...triggered({ kind: 'subagent' }, names) };
    case 'await-runs':
    case 'cancel-runs':
      return { ...about, name: op.runs.map(names.of).join(', ') };
  }
}

/** The key of an agent file that led to a run. */
const patternOf = (trigger: Trigger): string | undefined =>
  trigger.kind === 'start' ? undefined : meaningOf(trigger).pattern;

function triggered(trigger: Trigger, names: SpawnNames): Partial<About> {
  const { kind, means: _, ...chain } = trigger;
  const pattern = patternOf(trigger);
  const label = chain.spawned === undefined ? undefined : names.of(chain.spawned);
  return { trigger: kind, ...(pattern !== undefined && { pattern }), ...(label !== undefined && { label }), ...chain };
}
