// The scripted model: a provider that answers from a script, offline and without a key, with delays and faults on
// request. It never invents an answer: a call that no step covers is a fault that shows the step to add.

import { type Fault, fault, faultOf } from '../../kernel/fault.ts';
import type { Message } from '../../kernel/message.ts';
import type { JsonSchema } from '../../kernel/schema.ts';
import { FINAL_REPORT } from '../../kernel/session/final-report.ts';
import { pause } from '../pause.ts';
import type { CallOptions, ModelEvent, ModelProvider, ProviderRequest } from '../provider.ts';
import { candidatesFor, type ScriptPart, sortSteps } from './match.ts';
import { type Beat, playFault, playReply } from './play.ts';
import type { Script, ScriptStep } from './script.ts';
import { textOf } from './template.ts';

export interface ScriptedProvider extends ModelProvider {
  /** The steps that answered nothing in this process. */
  unused(): readonly ScriptStep[];
}

export function scriptedProvider(script: Script, id: string): ScriptedProvider {
  const parts = new Map([...script.agents].map(([agent, steps]) => [agent, sortSteps(steps)]));
  const any = sortSteps(script.any);
  const used = new Set<ScriptStep>();
  const attempts = attemptCounter();

  function beatsFor(request: ProviderRequest): readonly Beat[] {
    const part = parts.get(request.agent) ?? any;
    const { faults, reply, scope } = candidatesFor(part, request);
    if (faults.length > 0) {
      const attempt = attempts(request);
      const spoiled = faults[attempt] ?? (reply === undefined ? faults.at(-1) : undefined);
      if (spoiled !== undefined) {
        used.add(spoiled.step);
        return playFault(spoiled.step, spoiled.fault, scope);
      }
    }
    if (reply === undefined) return [{ type: 'reply-fault', fault: unscripted(script, part, request) }];
    used.add(reply);
    return playReply(reply, scope);
  }

  return {
    id,
    stream(request, options) {
      let beats: readonly Beat[];
      try {
        beats = beatsFor(request);
      } catch (error) {
        beats = [{ type: 'reply-fault', fault: faultOf(error) }];
      }
      return play(beats, options);
    },
    unused: () => [...script.agents.values(), script.any].flat().filter((step) => !used.has(step)),
  };
}

/** Without a wait there is no timer, no signal and no generator: benchmarks and large tests run on this path. */
function play(beats: readonly Beat[], options: CallOptions): AsyncIterable<ModelEvent> {
  for (const { type } of beats) if (type === 'wait') return playInTime(beats, options.signal);
  return new PlayedAtOnce(beats);
}

/** A class, because an object with a computed key is made by the engine's slow path. */
class PlayedAtOnce implements AsyncIterableIterator<ModelEvent> {
  readonly #beats: readonly Beat[];
  #next = 0;

  constructor(beats: readonly Beat[]) {
    this.#beats = beats;
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<ModelEvent> {
    return this;
  }

  next(): Promise<IteratorResult<ModelEvent>> {
    const beat = this.#beats[this.#next++];
    const over = beat === undefined || beat.type === 'wait';
    return Promise.resolve(over ? { done: true, value: undefined } : { done: false, value: beat });
  }
}

async function* playInTime(beats: readonly Beat[], signal: AbortSignal): AsyncGenerator<ModelEvent> {
  for (const beat of beats) {
    if (beat.type === 'wait') await pause(beat.ms, signal);
    if (signal.aborted) return yield aborted();
    if (beat.type !== 'wait') yield beat;
  }
}

const aborted = (): ModelEvent => ({ type: 'reply-fault', fault: fault('cancelled', 'the model call was cancelled.') });

/** Attempts of one call so far. A call is its messages and turn, whichever run or session it belongs to. */
function attemptCounter(): (request: ProviderRequest) => number {
  const counts = new WeakMap<readonly Message[], { readonly turn: number; readonly count: number }>();
  return ({ messages, turn }) => {
    const before = counts.get(messages);
    const count = before?.turn === turn ? before.count + 1 : 0;
    counts.set(messages, { turn, count });
    return count;
  };
}

function unscripted(script: Script, part: ScriptPart, request: ProviderRequest): Fault {
  const { agent, turn, messages } = request;
  const last = messages.at(-1);
  const known = script.agents.has(agent);
  const count = part.plain.length + part.conditional.length + part.compacting.length;
  const when = request.compact === undefined ? `turn: ${turn}` : 'compact: true';
  const what = request.compact === undefined ? `turn ${turn}` : `a compaction after turn ${turn}`;
  const has = known
    ? `It has ${count === 1 ? '1 step' : `${count} steps`} for this agent, none of which answers here.`
    : `It has no steps for this agent${script.any.length > 0 ? ', and those under "any" do not answer here' : ''}.`;
  const snippet = `${known ? '' : 'agents:\n'}  ${agent}:\n    - when: { ${when} }\n      ${replyTo(request)}`;
  return fault(
    'model/unscripted',
    `${script.file} has no answer for agent "${agent}", ${what}. ${has}\n` +
      `The last message${last === undefined ? ' is missing' : `, ${nameOf(last)}: ${shorten(textOf(last))}`}\n` +
      `Add${known ? ' to its steps' : ''}:\n${snippet}`,
    { agent, turn },
  );
}

/** A step that ends the session: a text, or a call of final_report where the answer is JSON and a text is refused. */
function replyTo({ output, tools }: ProviderRequest): string {
  const report = tools.find(({ name }) => name === FINAL_REPORT);
  if (output.format !== 'json' || report === undefined) return 'answer: …';
  const keys = keysOf(report.parameters);
  return keys.length === 0 ? 'report: { … }' : `report: { ${keys.map((key) => `${key}: …`).join(', ')} }`;
}

const SHOWN = 6;

/** The keys that a report must have; where none are required, those that it may have. */
function keysOf(schema: JsonSchema): readonly string[] {
  if (typeof schema === 'boolean') return [];
  const { required, properties } = schema;
  const must = Array.isArray(required) ? required.filter((key) => typeof key === 'string') : [];
  const may = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  return (must.length > 0 ? must : may).slice(0, SHOWN).map(inYaml);
}

const inYaml = (key: string): string => (/^[a-z_][\w-]*$/i.test(key) ? key : JSON.stringify(key));

function nameOf(message: Message): string {
  if (message.role === 'tool') return `the result of ${message.name}`;
  return message.role === 'user' ? 'from the user' : 'from the agent itself';
}

const shorten = (text: string): string => JSON.stringify(text.length > 160 ? `${text.slice(0, 160)}…` : text);
