// Effects as the journal records them: the details of an op, each message stored once, and its fingerprint.
// DESCRIBE-1. A message that an earlier op brought is named by that op's path, not repeated.
//     So is the run's history, which run-start holds, by how many of its messages a session begins with.
//     A call that sums up repeats what it replaces, so it names only which turns.
// DESCRIBE-2. A model op's fingerprint is chained over the session's requests: previous + what is new. What stays the
//     same over a session goes in as a fingerprint of its own, which sessions that begin alike share.

import type { OpDetail, RunId, StoredMessage } from '../../journal/event.ts';
import { fingerprint } from '../../journal/fingerprint.ts';
import type { CompactedTurns, EffectOf, ModelRequest, SessionRef } from '../../kernel/effect.ts';
import type { Message, ToolSpec } from '../../kernel/message.ts';
import type { OpPath } from '../../kernel/path.ts';
import { type DescribedOp, describeRun } from './describe-run.ts';

export type { DescribedOp } from './describe-run.ts';

export interface Describer {
  describe(
    effect: EffectOf<'model' | 'tool' | 'run' | 'say' | 'approval' | 'await-runs' | 'cancel-runs'>,
    path: OpPath,
  ): DescribedOp;
  /** A message as it is recorded (DESCRIBE-1). */
  stored(message: Message): StoredMessage;
  /** Remembers which op brought a message, so that later requests can name it. */
  noteOrigin(value: object, by: OpPath): void;
  /** The record of this op differs from its description, so the next request of its session is described in full. */
  forgetStanding(op: OpDetail): void;
  /** The session has ended, and no more requests come from it. */
  forget(session: SessionRef): void;
}

export function openDescriber(run: RunId): Describer {
  /** Messages that were brought and are not recorded in a request yet: a message is new to one request. */
  const origins = new Map<object, OpPath>();
  const sessions = new Map<
    SessionRef,
    {
      readonly print: string;
      /** Absent if the record of that request differs. */
      readonly standing?: Pick<ModelRequest, 'system' | 'tools' | 'choice' | 'callable'>;
    }
  >();

  const stored = (message: Message): StoredMessage => {
    if (message.role === 'user') return message;
    const brought = message.role === 'tool' ? message.result : message;
    const op = origins.get(brought);
    if (op === undefined) return message;
    origins.delete(brought);
    return message.role === 'tool'
      ? { role: 'tool', call: message.call, name: message.name, op }
      : { role: 'assistant', op };
  };

  /** It is no request of the chain: the next turn goes on from the turn before it. */
  const describeSummary = (request: ModelRequest, compact: CompactedTurns): DescribedOp => {
    const { session, agent, turn, models, messages } = request;
    const print = fingerprint(`${sessions.get(session)?.print ?? ''}${standing(request)}${textOf(messages)}`);
    return { fingerprint: print, op: { kind: 'model', session, agent, turn, models, compact, added: [] } };
  };

  const describeModel = (request: ModelRequest): DescribedOp => {
    if (request.compact !== undefined) return describeSummary(request, request.compact);
    const previous = sessions.get(request.session);
    const before = previous?.standing;
    const fresh = request.messages.slice(request.fresh);
    const newSystem = before?.system !== request.system;
    const newTools = before?.tools !== request.tools;
    const { session, agent, turn, models, choice, callable, compacted } = request;
    const newChoice = before?.choice !== choice || before.callable !== callable;
    const changed = newSystem || newTools || newChoice ? standing(request) : '';
    const folded =
      request.folded.length > 0 ? JSON.stringify(request.folded.map((index) => request.messages[index])) : '';
    const replaced = compacted === undefined ? '' : JSON.stringify(compacted);
    const print = fingerprint(`${previous?.print ?? ''}${changed}${replaced}${folded}${textOf(fresh)}`);
    const same = before !== undefined && !newSystem && !newTools && !newChoice;
    sessions.set(session, {
      print,
      standing: same ? before : { system: request.system, tools: request.tools, choice, ...(callable && { callable }) },
    });
    const history = request.fresh === 0 ? (request.history ?? 0) : 0;
    const added = (history === 0 ? fresh : fresh.slice(history)).map(stored);
    // Most ops by far are one of these two, so they are written out: an object made from parts costs much more.
    const isUsual = choice !== 'required' && callable === undefined && compacted === undefined;
    if (isUsual && request.folded.length === 0 && history === 0) {
      if (!newSystem && !newTools)
        return { fingerprint: print, op: { kind: 'model', session, agent, turn, models, added } };
      if (newSystem && newTools) {
        const { system } = request;
        const tools = names(request.tools);
        return { fingerprint: print, op: { kind: 'model', session, agent, turn, models, system, tools, added } };
      }
    }
    return {
      fingerprint: print,
      op: {
        kind: 'model',
        session,
        agent,
        turn,
        models,
        ...(newSystem && { system: request.system }),
        ...(newTools && { tools: names(request.tools) }),
        ...(choice === 'required' && { choice }),
        ...(callable && { callable }),
        ...(history > 0 && { history }),
        ...(compacted && { compacted }),
        added,
        ...(request.folded.length > 0 && { folded: request.folded }),
      },
    };
  };

  return {
    stored,
    noteOrigin: (value, by) => void origins.set(value, by),
    forget: (session) => void sessions.delete(session),
    forgetStanding(op) {
      const known = op.kind === 'model' ? sessions.get(op.session) : undefined;
      if (op.kind === 'model' && known !== undefined) sessions.set(op.session, { print: known.print });
    },
    describe(effect, path) {
      if (effect.kind === 'model') return describeModel(effect.request);
      if (effect.kind === 'run') return describeRun(effect, () => `${run}/${path}`);
      return { op: effect };
    },
  };
}

type StandingRequest = Pick<
  ModelRequest,
  'agent' | 'models' | 'settings' | 'system' | 'choice' | 'output' | 'callable'
>;

/** The latest one for each list of tools: sessions of one agent mostly begin alike. */
const latest = new WeakMap<readonly ToolSpec[], { readonly of: StandingRequest; readonly print: string }>();

/** The fingerprint of what mostly stays the same over a session (DESCRIBE-2). */
function standing(request: ModelRequest): string {
  const { agent, models, settings, system, tools, choice, output, callable } = request;
  const known = latest.get(tools);
  if (known !== undefined && isSameStanding(known.of, request)) return known.print;
  const parts = [agent, models, settings, system, choice, output, tools];
  const print = fingerprint(JSON.stringify(callable === undefined ? parts : [...parts, callable]));
  latest.set(tools, { of: { agent, models, settings, system, choice, output, ...(callable && { callable }) }, print });
  return print;
}

const isSameStanding = (known: StandingRequest, now: StandingRequest): boolean =>
  known.agent === now.agent &&
  known.models === now.models &&
  known.settings === now.settings &&
  known.system === now.system &&
  known.choice === now.choice &&
  known.callable === now.callable &&
  known.output === now.output;

/** The value as JSON. A single message from outside is the most frequent case, and is faster by hand. */
function textOf(messages: readonly Message[]): string {
  const only = messages.length === 1 ? messages[0] : undefined;
  if (only?.role === 'user') return `[{"role":"user","text":${JSON.stringify(only.text)}}]`;
  return JSON.stringify(messages);
}

const named = new WeakMap<readonly ToolSpec[], readonly string[]>();

function names(tools: readonly ToolSpec[]): readonly string[] {
  const known = named.get(tools) ?? tools.map(({ name }) => name);
  named.set(tools, known);
  return known;
}
