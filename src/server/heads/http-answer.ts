// One request for an answer over HTTP, the same for every protocol of this kind: start the run, answer with the whole
// answer or stream it, and put a failure into the protocol's own shape.

import { FaultError } from '../../kernel/fault.ts';
import { isBroken } from '../../kernel/outcome.ts';
import type { Totals } from '../../views/costs/totals.ts';
import { unmetWords } from '../../views/step-words.ts';
import type { Head } from '../context.ts';
import { startedOnce } from '../runs/idempotency-key.ts';
import { type AnswerFrames, streamAnswer, UNMET_HEADER } from './answer-stream.ts';
import { type HeadCall, runHeaders } from './head-call.ts';
import { brokenRun, type HeadFault, refusal, safeFault, shouldRetry } from './head-fault.ts';
import { followHeadRun, type HeadRequest, type HeadRun, rejoinHeadRun, startHeadRun } from './head-run.ts';

/** A protocol's words. */
export interface AnswerWords {
  whole(of: HeadRun, text: string, totals: Totals): object;
  frames(of: HeadRun): AnswerFrames;
  /** `param` is the place of what is wrong in the request, where that is known. */
  error(fault: HeadFault, param?: string): object;
}

/** Undefined: the response has been sent. */
export async function answerOverHttp(
  call: HeadCall,
  asked: HeadRequest,
  isStream: boolean,
  words: AnswerWords,
): Promise<Response | undefined> {
  const { parts, gone, outgoing } = call;
  const begun = await startedBy(call, asked);
  const headers = runHeaders(begun);
  const refused = (fault: HeadFault): Response => faultResponse(safeFault(fault, parts.context), words.error, headers);
  if (isStream) {
    for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value);
    const frames = words.frames(begun);
    const safe = { ...frames, fail: (fault: HeadFault) => frames.fail(safeFault(fault, parts.context)) };
    const fault = await streamAnswer(begun, safe, call);
    return fault === undefined ? undefined : refused(fault);
  }
  try {
    const { outcome, totals } = await followHeadRun(begun, { gone }, parts);
    const unmet = isBroken(outcome) ? undefined : unmetWords(outcome);
    return isBroken(outcome)
      ? refused(brokenRun(begun.run, outcome))
      : jsonResponse(words.whole(begun, outcome.text, totals), 200, {
          ...headers,
          ...(unmet !== undefined && { [UNMET_HEADER]: unmet }),
        });
  } catch (thrown) {
    if (!(thrown instanceof FaultError)) throw thrown;
    return refused(refusal(thrown.fault)); // with the run that was begun
  }
}

/** Starts the run. With an `Idempotency-Key`, the same request gets the same run. */
async function startedBy({ body, header, parts, server }: HeadCall, asked: HeadRequest): Promise<HeadRun> {
  const key = header('idempotency-key');
  if (key === undefined) return startHeadRun(asked, parts);
  let fresh: HeadRun | undefined;
  const { run } = await startedOnce({ key, caller: parts.caller, asked: body }, server, async (given) => {
    fresh = await startHeadRun(asked, parts, given);
    return { run: fresh.run, state: 'running', thread: fresh.place.thread };
  });
  return fresh ?? rejoinHeadRun(asked, run, parts);
}

/** Errors of requests that no run was started for. */
export const problemIn =
  (error: AnswerWords['error']): Head['problem'] =>
  (fault, context) => {
    const param = fault.details?.['param'];
    const place = typeof param === 'string' ? param : undefined;
    return faultResponse(safeFault(refusal(fault), context), (shown) => error(shown, place));
  };

const faultResponse = (
  fault: HeadFault,
  error: AnswerWords['error'],
  headers: Readonly<Record<string, string>> = {},
): Response => jsonResponse(error(fault), fault.status, { ...headers, ...shouldRetry(fault) });

export const jsonResponse = (body: object, status: number, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
  });
