// Effects as the journal tells them: the particulars of an op, each message stored once, and its fingerprint.
// W1. A message that an earlier op brought is named by that op's path, not repeated.
// W2. A model op's fingerprint is chained over the session's requests: previous + what is new.

import type { OpDetail, StoredMessage } from '../journal/event.ts';
import { fingerprint } from '../journal/fingerprint.ts';
import type { Effect, ModelRequest, SessionRef } from '../kernel/effect.ts';
import type { Message, ToolSpec } from '../kernel/message.ts';
import type { OpPath } from '../kernel/path.ts';

type Lasting = Extract<Effect, { kind: 'model' | 'tool' | 'run' | 'say' | 'signal' }>;

export interface Described {
  readonly op: OpDetail;
  readonly print: string;
}

export interface Describer {
  describe(effect: Lasting): Described;
  /** Remembers which op brought a message, so that later requests can name it. */
  brought(value: object, by: OpPath): void;
}

interface Previous {
  readonly print: string;
  readonly system: string;
  readonly tools: readonly ToolSpec[];
}

export function describer(): Describer {
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
    const fresh = request.messages.slice(request.fresh);
    const folded = request.folded.map((index) => [index, request.messages[index]]);
    const newSystem = previous?.system !== request.system;
    const newTools = previous?.tools !== request.tools;
    const print = fingerprint(
      (previous?.print ?? '') +
        JSON.stringify([
          request.agent,
          request.turn,
          request.models,
          request.settings,
          request.choice,
          request.output,
          newSystem ? request.system : 0,
          newTools ? request.tools : 0,
          fresh,
          folded,
        ]),
    );
    sessions.set(request.session, { print, system: request.system, tools: request.tools });
    return {
      print,
      op: {
        kind: 'model',
        session: request.session,
        agent: request.agent,
        turn: request.turn,
        models: request.models,
        ...(newSystem && { system: request.system }),
        ...(newTools && { tools: request.tools.map(({ name }) => name) }),
        ...(request.choice === 'required' && { choice: 'required' }),
        added: fresh.map(stored),
        ...(request.folded.length > 0 && { folded: request.folded }),
      },
    };
  };

  return {
    brought: (value, by) => void origins.set(value, by),
    describe(effect) {
      if (effect.kind === 'model') return describeModel(effect.request);
      const op = describeOther(effect);
      return { op, print: fingerprint(JSON.stringify(op)) };
    },
  };
}

function describeOther(effect: Exclude<Lasting, { kind: 'model' }>): OpDetail {
  switch (effect.kind) {
    case 'tool':
    case 'say':
    case 'signal':
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
