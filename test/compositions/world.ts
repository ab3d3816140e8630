// The world of a random folder: models, tools and a person that decide by a seed and by what they are asked, so that a run
// that is resumed meets the same. A reply depends on whose session it is, on its request and its turn, and not on what
// arrived meanwhile: messages between parallel sessions come in any order.

import { APICallError, type LanguageModelV3CallOptions, type LanguageModelV3StreamPart } from '@ai-sdk/provider';
import type { GivenProviders } from '../../src/models/provider-instance.ts';
import { type Approver } from '../../src/run/approver.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { Dice } from './dice.ts';
import { namesIn, valueFor } from './values.ts';

export interface WorldPlan {
  readonly seed: number;
  /** The number of failures among a hundred model calls; the model `flaky` has three times as many. */
  readonly failures: number;
  /** The order in which calls overtake each other. */
  readonly schedule: number;
}

export interface World {
  readonly providers: GivenProviders;
  readonly tools: readonly Tool[];
  readonly approve: Approver;
  /** Model calls that were sent, each with the tokens it says it used once it has ended. */
  readonly calls: readonly SentCall[];
  /** The keys of the calls of `stamp`, which must not be made twice. */
  readonly stamps: readonly string[];
  /** The warnings of the engine. */
  readonly warnings: string[];
  /** Nothing in it answers any more. */
  end(): void;
}

export interface SentCall {
  tokens?: number;
}

/** A picture of one pixel. */
export const PICTURE_BYTES = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
export const PICTURE = {
  type: 'image/png',
  name: 'shot.png',
  bytes: PICTURE_BYTES.length,
  width: 1,
  height: 1,
} as const;

type Parts = readonly LanguageModelV3StreamPart[];

export function openWorld(plan: WorldPlan): World {
  const calls: SentCall[] = [];
  const stamps: string[] = [];
  let isOver = false;
  /** Lets others go first, as many steps as the schedule says; for ever once the world has ended. */
  const pace = async (key: string): Promise<void> => {
    for (let steps = new Dice(`${plan.schedule} ${key}`).roll(6); steps > 0; steps--)
      await new Promise((resolve) => setImmediate(resolve));
    if (isOver) await new Promise(() => {});
  };
  const model = (id: string) => ({
    specificationVersion: 'v3',
    provider: 'world.chat',
    modelId: id,
    async doStream(options: LanguageModelV3CallOptions) {
      const sent: SentCall = {};
      calls.push(sent);
      const key = keyOf(options);
      await pace(key);
      options.abortSignal?.throwIfAborted();
      const parts = replyTo(options, new Dice(`${plan.seed} ${id} ${key}`), {
        failures: failuresOf(plan, id),
        isBusy: id === 'busy',
      });
      sent.tokens = usedBy(parts);
      return { stream: ReadableStream.from(parts) as ReadableStream<unknown> };
    },
  });
  return {
    providers: { world: { languageModel: model } },
    tools: [
      tool('look', 'safe', plan, pace),
      tool('stamp', 'never', plan, pace, (key) => stamps.push(key)),
      tool('snap', 'safe', plan, pace),
    ],
    async approve(prompt, about) {
      const dice = new Dice(`${plan.seed} ${prompt} ${JSON.stringify(about)}`);
      await pace(prompt);
      return dice.isWithin(70) ? { approved: true } : { approved: false, note: 'Not today.' };
    },
    calls,
    stamps,
    warnings: [],
    end() {
      isOver = true;
    },
  };
}

const failuresOf = ({ failures }: WorldPlan, id: string): number => (id === 'flaky' ? 3 * failures : failures);

/** The key of a model call: its session, its request and its turn. */
function keyOf({ prompt, tools = [] }: LanguageModelV3CallOptions): string {
  const system = prompt.filter(({ role }) => role === 'system');
  const request = prompt.find(({ role }) => role === 'user');
  const turn = prompt.filter(({ role }) => role === 'assistant').length;
  return JSON.stringify([system, request, turn, tools.length === 1]);
}

function tool(
  name: string,
  repeat: Tool['repeat'],
  { seed }: WorldPlan,
  pace: (key: string) => Promise<void>,
  made: (key: string) => void = () => {},
): Tool {
  return {
    spec: {
      name,
      description: `Does a ${name}.`,
      parameters: {
        type: 'object',
        properties: { at: { type: 'string' }, long: { type: 'boolean' } },
        required: ['at'],
      },
    },
    repeat,
    async execute(input, { callKey }) {
      made(callKey);
      const text = JSON.stringify(input);
      await pace(text);
      const dice = new Dice(`${seed} ${name} ${text}`);
      if (dice.isWithin(10)) throw new Error(`${name} is broken`);
      if (name === 'snap')
        return { status: 'ok', text: `a picture of ${text}`, files: [{ name: PICTURE.name, data: PICTURE_BYTES }] };
      return (input as { readonly long?: boolean }).long === true
        ? 'It is a long story. '.repeat(500)
        : `seen: ${text}`;
    },
  };
}

/** Exits, by the part of their name that tells them. */
const EXIT = /final_report$|handoff-to$|team_broadcast$/;
/** The number of replies among a hundred that go on working, by turn. */
const WORKS = [90, 70, 45, 25];
/** The same of the model `busy`, whose replies are long: it fills its window. */
const BUSY = 90;
/** Tools that lead to other sessions. Half of the calls are of these. */
const LEADS_ON = /^agent__a\d|sessions_spawn$|^subagent$/;

interface Habits {
  readonly failures: number;
  readonly isBusy: boolean;
}

function replyTo(options: LanguageModelV3CallOptions, dice: Dice, { failures, isBusy }: Habits): Parts {
  if (dice.isWithin(failures)) return failure(dice);
  const { prompt, toolChoice, maxOutputTokens = Number.POSITIVE_INFINITY } = options;
  const tools = (options.tools ?? []).filter((one) => one.type === 'function');
  const turn = prompt.filter(({ role }) => role === 'assistant').length;
  const exits = tools.filter(({ name }) => EXIT.test(name));
  const others = tools.filter(({ name }) => !EXIT.test(name));
  const leading = others.filter(({ name }) => LEADS_ON.test(name));
  const wanted = () => dice.pick(leading.length > 0 && dice.isWithin(50) ? leading : others);
  const works = others.length > 0 && dice.isWithin(isBusy ? BUSY : (WORKS[turn] ?? 10));
  const text = JSON.stringify(prompt, (key, value) => (key === 'data' ? '' : value));
  const used = usageOf(text, maxOutputTokens, dice);
  if (!works && toolChoice?.type !== 'required' && dice.isWithin(30)) return [...said(`answer ${dice.roll(9)}`), used];
  const names = namesIn(text);
  const chosen = works ? [wanted(), ...(dice.isWithin(40) ? [wanted()] : [])] : [dice.pick(exits)];
  if (dice.isWithin(3)) chosen.push(dice.pick(exits));
  const calls = chosen.flatMap((one, index): Parts => {
    if (one === undefined) return [];
    const input = dice.isWithin(3) ? '{"broken' : JSON.stringify(valueFor(one.inputSchema, dice, names));
    const toolName = dice.isWithin(2) ? 'no_such_tool' : one.name;
    return [{ type: 'tool-call', toolCallId: `c${turn}-${index}`, toolName, input }];
  });
  const thought = isBusy ? said('I think about it once more. '.repeat(30 + dice.roll(30))) : [];
  return [...thought, ...(calls.length === 0 ? said('nothing to do') : calls), used];
}

const said = (delta: string): Parts => [{ type: 'text-delta', id: '1', delta }];

function failure(dice: Dice): Parts {
  const status = [429, 500, 400][dice.roll(4)];
  if (status === undefined) return said('cut o'); // and the stream ends
  const error = new APICallError({
    message: `status ${status}`,
    url: 'http://world',
    requestBodyValues: {},
    statusCode: status,
    responseHeaders: {},
  });
  return [{ type: 'error', error }];
}

/** Fewer tokens than an honest estimate of the request, and no more output than was allowed, but at times all of it. */
function usageOf(text: string, most: number, dice: Dice): LanguageModelV3StreamPart {
  const input = Math.ceil(text.length / 12);
  const output = Math.min(most, dice.isWithin(30) ? 5000 : 1 + dice.roll(60));
  return {
    type: 'finish',
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: {
      inputTokens: { total: input, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: output, text: undefined, reasoning: undefined },
    },
  };
}

function usedBy(parts: Parts): number {
  const end = parts.at(-1);
  return end?.type === 'finish' ? (end.usage.inputTokens.total ?? 0) + (end.usage.outputTokens.total ?? 0) : 0;
}
