// The world as it is: models, tools, people and the clock. Performs leaves and records nothing.
// PERFORM-1. A performer's throw becomes a fault here, at the edge; an abort keeps the fault that its signal carries.

import type { PreviewAnswer } from '../../kernel/approval.ts';
import type {
  EffectOf,
  InboxRef,
  Mail,
  ModelReply,
  ModelRequest,
  OfferedTools,
  SessionRef,
  SettledResult,
  Verdict,
} from '../../kernel/effect.ts';
import { faultOf } from '../../kernel/fault.ts';
import type { ToolResult } from '../../kernel/message.ts';
import { abortFault, orAborted } from '../abort.ts';
import type { BackgroundRuns } from '../state/background-runs/background-runs.ts';
import type { Inboxes } from '../state/inboxes.ts';
import type { Op, World, WorldRequest } from '../world.ts';

export interface LiveParts {
  callModel(request: ModelRequest, op: Op): Promise<SettledResult<ModelReply>>;
  callTool(effect: EffectOf<'tool'>, op: Op): Promise<ToolResult>;
  /** Never rejects: an instant op that fails is not recorded. */
  previewTool(effect: EffectOf<'preview'>, op: Op): Promise<PreviewAnswer>;
  askPerson(prompt: string, about: unknown, op: Op): Promise<Verdict>;
  readonly inboxes: Pick<Inboxes, 'take' | 'post'>;
  readonly backgroundRuns: BackgroundRuns;
  /** The tools that a session is offered now, if they have changed since its last turn. */
  readonly changedTools:
    | ((session: SessionRef, op: Op) => OfferedTools | undefined | Promise<OfferedTools | undefined>)
    | undefined;
  now(): number;
}

export function live(parts: LiveParts): World {
  return { perform: (effect, op) => performLive(effect, op, parts) };
}

function performLive(effect: WorldRequest, op: Op, parts: LiveParts): SettledResult | Promise<SettledResult> {
  switch (effect.kind) {
    case 'model':
      return parts.callModel(effect.request, op);
    case 'tool':
      return settled(parts.callTool(effect, op), op);
    case 'preview':
      return parts.previewTool(effect, op).then((value) => ({ ok: true, value }));
    case 'approval':
      return settled(orAborted(parts.askPerson(effect.prompt, effect.about, op), op.signal), op);
    case 'take':
      return take(effect.inbox, op, parts);
    case 'post':
      return { ok: true, value: parts.inboxes.post(effect.channel, effect.saying) };
    case 'clock':
      return { ok: true, value: parts.now() };
    case 'spawn':
    case 'await-runs':
    case 'begin':
    case 'announce':
    case 'runs':
    case 'cancel-runs':
    case 'send':
      return parts.backgroundRuns.perform(effect, op);
    case 'parallel':
    case 'last-results':
      return { ok: true, value: null }; // nothing is recorded here
    case 'run':
    case 'say':
    case 'close':
      throw new Error(`the live world does not perform ${effect.kind}: nested() does`);
  }
}

function take(box: InboxRef, op: Op, parts: LiveParts): SettledResult<Mail> | Promise<SettledResult<Mail>> {
  const taken = (tools: OfferedTools | undefined): SettledResult<Mail> => {
    const mail = parts.inboxes.take(box);
    return { ok: true, value: tools === undefined ? mail : { ...mail, tools } };
  };
  const changed = box.only === 'stop' ? undefined : parts.changedTools?.(box.session, op);
  return changed instanceof Promise ? changed.then(taken) : taken(changed);
}

const settled = (work: Promise<unknown>, { signal }: Op): Promise<SettledResult> =>
  work.then(asValue, (thrown: unknown) => ({
    ok: false,
    fault: signal.aborted ? abortFault(signal) : faultOf(thrown), // PERFORM-1
  }));

const asValue = (value: unknown): SettledResult => ({ ok: true, value });
