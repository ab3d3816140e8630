// Effects as the journal tells them: the particulars of an op, each message stored once, and its fingerprint.
// W1. A message that an earlier op brought is named by that op's path, not repeated.
// W2. A model op's fingerprint is chained over the session's requests: previous + what is new.

import type { OpDetail, RunId, StoredMessage } from '../journal/event.ts';
import { fingerprint } from '../journal/fingerprint.ts';
import type { Effect, ModelRequest, SessionRef } from '../kernel/effect.ts';
import type { Message, ToolSpec } from '../kernel/message.ts';
import type { OpPath } from '../kernel/path.ts';
import { type Described, describeSubagent } from './describe-subagent.ts';

export type { Described } from './describe-subagent.ts';

type Lasting = Extract<
  Effect,
  { kind: 'model' | 'tool' | 'run' | 'say' | 'signal' | 'subagent' | 'await-runs' | 'cancel-runs' }
>;

export interface Describer {
  describe(effect: Lasting, path: OpPath): Described;
  /** Remembers which op brought a message, so that later requests can name it. */
  brought(value: object, by: OpPath): void;
  /** What the record holds of this op is not what was described: the next request of its session is told in full. */
  retell(op: OpDetail): void;
}

/** The last request of a session: what the next one is compared with, and chained to. */
interface Previous {
  readonly print: string;
  /** Absent where the record holds another one. */
  readonly request?: ModelRequest;
}

export function describer(run: RunId): Describer {
  const origins = new WeakMap<object, OpPath>();
  const sessions = new Map<SessionRef, Previous>();

  const stored = (message: Message): StoredMessage => {
    if (message.role === 'user') return message;
    const op = origins.get(message.role === 'tool' ? message.result : message);
    if (op === undefined) return message;
    return message.role === 'tool'
      ? { role: 'tool', call: message.call, name: message.name, op }
      : { role: 'assistant', op };
  };

  const describeModel = (request: ModelRequest): Described => {
    const previous = sessions.get(request.session);
    const before = previous?.request;
    const fresh = request.messages.slice(request.fresh);
    const newSystem = before?.system !== request.system;
    const newTools = before?.tools !== request.tools;
    const changed = newSystem || newTools || before?.choice !== request.choice ? standing(request) : '';
    const folded =
      request.folded.length > 0 ? JSON.stringify(request.folded.map((index) => request.messages[index])) : '';
    const print = fingerprint(`${previous?.print ?? ''}${changed}${folded}${JSON.stringify(fresh)}`);
    sessions.set(request.session, { print, request });
    return {
      print,
      op: {
        kind: 'model',
        session: request.session,
        agent: request.agent,
        turn: request.turn,
        models: request.models,
        ...(newSystem && { system: request.system }),
        ...(newTools && { tools: names(request.tools) }),
        ...(request.choice === 'required' && { choice: 'required' }),
        added: fresh.map(stored),
        ...(request.folded.length > 0 && { folded: request.folded }),
      },
    };
  };

  return {
    brought: (value, by) => void origins.set(value, by),
    retell(op) {
      const known = op.kind === 'model' ? sessions.get(op.session) : undefined;
      if (op.kind === 'model' && known !== undefined) sessions.set(op.session, { print: known.print });
    },
    describe(effect, path) {
      if (effect.kind === 'model') return describeModel(effect.request);
      if (effect.kind === 'subagent') return describeSubagent(effect, `${run}/${path}`);
      return { op: describeOther(effect) };
    },
  };
}

/** What stays the same over a session, mostly: hashed only when it changes. */
const standing = ({ agent, models, settings, system, tools, choice, output }: ModelRequest): string =>
  JSON.stringify([agent, models, settings, system, choice, output]) + toolsText(tools);

const toolsTexts = new WeakMap<readonly ToolSpec[], string>();

/** Sessions of one agent mostly offer the same list, so it is written out once. */
function toolsText(tools: readonly ToolSpec[]): string {
  const text = toolsTexts.get(tools) ?? JSON.stringify(tools);
  toolsTexts.set(tools, text);
  return text;
}

const names = (tools: readonly ToolSpec[]): readonly string[] => tools.map(({ name }) => name);

function describeOther(effect: Exclude<Lasting, { kind: 'model' | 'subagent' }>): OpDetail {
  switch (effect.kind) {
    case 'tool':
    case 'say':
    case 'signal':
    case 'await-runs':
    case 'cancel-runs':
      return effect;
    case 'run':
      return {
        kind: 'run',
        agent: effect.agent,
        input: effect.input,
        trigger: effect.trigger,
        ...(effect.contract && { contract: effect.contract }),
        ...(effect.seat && { seat: effect.seat }),
        ...(effect.keep && { keep: true }),
      };
  }
}
