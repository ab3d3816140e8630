// The answer of a run as a stream of server-sent events, in the frames of a protocol.
// STREAM-1. The response begins with the first text, so that a run that fails before has the status of its failure. A
//           run that takes longer than HELD to write anything begins without: a proxy would give up on it.
//           A stream has no header for what is known at its end, so a comment before its last frame says it.
// STREAM-2. The run waits for no client. One that does not read for a minute is cut off.

import { faultOf } from '../../kernel/fault.ts';
import { isBroken } from '../../kernel/outcome.ts';
import type { Totals } from '../../views/costs/totals.ts';
import { unmetWords } from '../../views/step-words.ts';
import { openSse, type SseReader } from '../events/sse.ts';
import type { HeadCall } from './head-call.ts';
import { brokenRun, type HeadFault, refusal } from './head-fault.ts';
import { followHeadRun, type HeadRun } from './head-run.ts';

export interface AnswerFrames {
  begin(): string;
  text(text: string): string;
  /** `text` is all that was written. */
  end(text: string, totals: Totals): string;
  fail(fault: HeadFault): string;
  /** Keeps the connection open while nothing is written. */
  readonly beat: string;
}

/** Says that no judge found the answer good. */
export const UNMET_HEADER = 'x-cadre-unmet';

const HELD = 5_000;
const BEAT = 15_000;

/**
 * Sends the answer. Returns a fault if the run ended without an answer before anything was sent. `gone` is aborted when
 * the client has closed the connection.
 */
export async function streamAnswer(
  of: HeadRun,
  frames: AnswerFrames,
  { outgoing, gone, parts }: Pick<HeadCall, 'outgoing' | 'gone' | 'parts'>,
): Promise<HeadFault | undefined> {
  let reader: SseReader | undefined;
  let isStuck = false;
  let written = '';
  const send = (frame: string): void => {
    reader?.send(frame);
    if (reader === undefined || isStuck || !reader.isBlocked) return;
    isStuck = true; // STREAM-2
    reader.whenDrained(() => {
      isStuck = false;
    });
  };
  const begin = (): void => {
    if (reader !== undefined || gone.aborted) return;
    reader = openSse(outgoing, () => {});
    send(frames.begin());
  };
  const write = (text: string): void => {
    begin(); // STREAM-1
    written += text;
    send(frames.text(text));
  };
  const held = setTimeout(begin, HELD);
  const beats = setInterval(() => send(frames.beat), BEAT);
  try {
    const { outcome, totals } = await followHeadRun(of, { write, gone }, parts);
    if (isBroken(outcome)) return told(brokenRun(of.run, outcome));
    begin(); // an answer may be empty
    const unmet = unmetWords(outcome);
    if (unmet !== undefined) send(`: ${UNMET_HEADER}: ${unmet}\n\n`);
    send(frames.end(written, totals));
    return undefined;
  } catch (thrown) {
    return told(refusal(faultOf(thrown)));
  } finally {
    clearTimeout(held);
    clearInterval(beats);
    reader?.end();
  }

  function told(fault: HeadFault): HeadFault | undefined {
    if (reader === undefined) return fault;
    send(frames.fail(fault));
    return undefined;
  }
}
