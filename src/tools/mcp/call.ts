// One call of a tool of a server, with the questions that the server asks meanwhile. Both forms of them end in the same question
// to a person: a request while the call runs (2025-11-25), and an unfinished result, after which the call is made again with
// the answers (2026-07-28).
// CALL-1. What an unfinished result wants back is given with each question, so that it is recorded with the answer.
// CALL-2. A request of a server does not say which of its calls it belongs to. With several under way it is asked below the one
//         that began first, and the time of all of them stands still.
// CALL-3. A question ends with its call, and when its server gives it up.

import type {
  CallToolResult,
  Client,
  ElicitRequestFormParams,
  ElicitResult,
  Progress,
} from '@modelcontextprotocol/client';
import type { JsonObject } from '../../base/text/json.ts';
import { fail } from '../../kernel/fault.ts';
import type { JsonSchema } from '../../kernel/schema.ts';
import type { ServerAnswer, UnfinishedCall } from '../../kernel/server-question.ts';
import type { ToolContext } from '../tool.ts';

/** The caller sets the deadline of a call: `invoke` aborts, and the server is notified. */
const noTimeout = 2 ** 31 - 1;
/** The times that a call may be unfinished. */
const MOST_ROUNDS = 10;

type AskedInCall = (asked: ElicitRequestFormParams, unfinished?: UnfinishedCall, key?: string) => Promise<ServerAnswer>;

interface CallUnderWay {
  readonly context: ToolContext;
  /** Aborted when the call is over. */
  readonly over: AbortController;
}

/** The questions of a server in its calls under way. */
export class CallQuestions {
  readonly #server: string;
  readonly #calls = new Set<CallUnderWay>();

  constructor(server: string) {
    this.#server = server;
  }

  async during<Value>(
    context: ToolContext,
    work: (asking: { readonly context: ToolContext; readonly ask: AskedInCall }) => Promise<Value>,
  ): Promise<Value> {
    const call: CallUnderWay = { context, over: new AbortController() };
    this.#calls.add(call);
    try {
      const ask: AskedInCall = (asked, unfinished, key) => this.#askIn(call, asked, { unfinished, key });
      return await work({ context, ask });
    } finally {
      this.#calls.delete(call);
      call.over.abort(); // CALL-3
    }
  }

  /** A request of the server (CALL-2). */
  async ask(asked: ElicitRequestFormParams, until: AbortSignal): Promise<ElicitResult> {
    const [first, ...others] = this.#calls;
    if (first === undefined) return { action: 'cancel' };
    const stands = others.reduce<() => Promise<ServerAnswer>>(
      (inner, { context }) =>
        () =>
          context.standStill?.(inner) ?? inner(),
      () => this.#askIn(first, asked, { until }),
    );
    return resultOf(await stands());
  }

  #askIn(
    { context, over }: CallUnderWay,
    { message, requestedSchema }: ElicitRequestFormParams,
    more: {
      readonly unfinished?: UnfinishedCall | undefined;
      readonly key?: string | undefined;
      readonly until?: AbortSignal;
    },
  ): Promise<ServerAnswer> {
    if (context.ask === undefined) return Promise.resolve({ action: 'cancel' });
    const { unfinished, key, until } = more;
    const ends = until === undefined ? over.signal : AbortSignal.any([over.signal, until]);
    const question = {
      server: this.#server,
      message,
      form: requestedSchema as JsonSchema,
      ...(unfinished !== undefined && { unfinished }),
      ...(key !== undefined && { key }),
    };
    return context.ask(question, ends);
  }
}

/** Calls, and calls again with answers, until there is a result. */
export async function callToEnd(
  params: { readonly name: string; readonly arguments: Record<string, unknown> },
  client: Client,
  { context, ask }: { readonly context: ToolContext; readonly ask: AskedInCall },
): Promise<CallToolResult> {
  const options = {
    signal: context.signal,
    timeout: noTimeout,
    onprogress: (progress: Progress) => context.progress(lineOf(progress)),
    allowInputRequired: true,
  };
  let { unfinished } = context;
  for (let round = 0; round <= MOST_ROUNDS; round++) {
    const more = unfinished === undefined ? {} : await answersTo(unfinished, ask);
    context.signal.throwIfAborted();
    const answer: unknown = await client.callTool({ ...params, ...more }, options);
    unfinished = unfinishedIn(answer);
    if (unfinished === undefined) return answer as CallToolResult;
  }
  return fail(
    'tool/failed',
    `The server asked again and again: after ${MOST_ROUNDS} rounds of questions it has no result.`,
  );
}

/** Undefined for a result that is whole. */
function unfinishedIn(answer: unknown): UnfinishedCall | undefined {
  const {
    resultType,
    inputRequests = {},
    requestState,
  } = answer as {
    readonly resultType?: unknown;
    readonly inputRequests?: JsonObject;
    readonly requestState?: string;
  };
  if (resultType !== 'input_required') return undefined;
  return { requests: inputRequests, ...(requestState !== undefined && { state: requestState }) };
}

/** Asks one question after the other: a person answers one at a time. */
async function answersTo(unfinished: UnfinishedCall, ask: AskedInCall): Promise<Record<string, unknown>> {
  const responses: Record<string, ElicitResult> = {};
  for (const [key, request] of Object.entries(unfinished.requests)) {
    responses[key] = resultOf(await ask(formIn(request), unfinished, key)); // CALL-1
  }
  return {
    ...(Object.keys(responses).length > 0 && { inputResponses: responses }),
    ...(unfinished.state !== undefined && { requestState: unfinished.state }),
  };
}

/** Other requests, and other modes of this one, are refused by name. */
function formIn(request: unknown): ElicitRequestFormParams {
  const { method, params } = request as { readonly method?: unknown; readonly params?: ElicitRequestFormParams };
  if (method !== 'elicitation/create' || params === undefined)
    return fail('tool/failed', `The server asks for ${String(method).slice(0, 80)}, which Cadre does not answer.`);
  if (params.mode !== undefined && params.mode !== 'form')
    return fail(
      'tool/failed',
      `The server asks a question in the mode ${String(params.mode).slice(0, 80)}, and Cadre answers forms alone.`,
    );
  return params;
}

/** The official client checks that the content has the types that the protocol allows. */
const resultOf = (answer: ServerAnswer): ElicitResult =>
  answer.action === 'accept'
    ? { action: 'accept', content: answer.content as NonNullable<ElicitResult['content']> }
    : answer;

function lineOf({ progress, total, message }: Progress): string {
  const share = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message === undefined ? share : `${share}: ${message}`;
}
