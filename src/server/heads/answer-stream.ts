// The answer of a run as a stream of server-sent events, in the frames of a protocol.
// STREAM-1. The response begins with the first text, so that a run that fails before has the status of its failure. A
//           run that takes longer than HELD to write anything begins without: a proxy would give up on it.
// STREAM-2. A client that does not read is cut off when more than UNREAD is waiting for it. So memory stays bounded, and
//           the run does not wait for anyone.

import { faultOf } from '../../kernel/fault.ts';
import { isBroken } from '../../kernel/outcome.ts';
import type { Totals } from '../../views/totals.ts';
import { type AskedRun, followAsked } from './asked-run.ts';
import { brokenRun, type HeadFault, refusal } from './head-fault.ts';
import type { PlaceParts } from './thread-place.ts';

export interface AnswerFrames {
  begin(): string;
  text(text: string): string;
  /** `text` is all that was written. */
  end(text: string, totals: Totals): string;
  fail(fault: HeadFault): string;
  /** Keeps the connection open while nothing is written. */
  readonly beat: string;
}

export type AnswerStream =
  | { readonly kind: 'stream'; readonly body: ReadableStream<Uint8Array> }
  /** The run ended before anything was written, and without an answer. */
  | { readonly kind: 'fault'; readonly fault: HeadFault };

const HELD = 5_000;
const UNREAD = 4_194_304;
const BEAT = 15_000;

/** `gone` is aborted when the client has closed the connection. */
export async function answerStream(
  of: AskedRun,
  frames: AnswerFrames,
  gone: AbortSignal,
  parts: PlaceParts,
): Promise<AnswerStream> {
  const left = new AbortController();
  const out = openOut(() => left.abort());
  let begin = (): void => {};
  const begun = new Promise<'begun'>((resolve) => {
    begin = () => {
      out.begin(frames.begin());
      resolve('begun');
    };
  });
  let written = '';
  const write = (text: string): void => {
    if (written === '') begin();
    written += text;
    out.push(frames.text(text));
  };
  const ended = followAsked(of, { write, gone: AbortSignal.any([gone, left.signal]) }, parts).then(
    ({ outcome, totals }): HeadFault | undefined => {
      if (isBroken(outcome)) return brokenRun(of.run, outcome);
      begin(); // an answer may be empty
      out.push(frames.end(written, totals));
      return undefined;
    },
    (thrown: unknown) => refusal(faultOf(thrown)),
  );
  const held = setTimeout(() => begin(), HELD);
  const beats = setInterval(() => out.isBegun && out.push(frames.beat), BEAT);
  const over = ended.then((fault) => {
    clearTimeout(held);
    clearInterval(beats);
    if (out.isBegun) out.end(fault === undefined ? '' : frames.fail(fault));
    return fault;
  });
  const first = await Promise.race([begun, over]); // STREAM-1
  if (first === 'begun' || first === undefined) return { kind: 'stream', body: out.body };
  return { kind: 'fault', fault: first };
}

interface Out {
  readonly body: ReadableStream<Uint8Array>;
  readonly isBegun: boolean;
  /** Once; a second call does nothing. */
  begin(frame: string): void;
  push(frame: string): void;
  end(frame: string): void;
}

function openOut(cutOff: () => void): Out {
  const encoder = new TextEncoder();
  let isBegun = false;
  let isOver = false;
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given;
      },
      cancel() {
        isOver = true;
        cutOff();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: UNREAD }),
  );
  const push = (frame: string): void => {
    if (isOver || frame === '') return;
    controller?.enqueue(encoder.encode(frame));
    if ((controller?.desiredSize ?? 0) >= 0) return;
    isOver = true; // STREAM-2
    controller?.error(new Error('The client does not read what it asked for.'));
    cutOff();
  };
  return {
    body,
    get isBegun() {
      return isBegun;
    },
    begin(frame) {
      if (isBegun) return;
      isBegun = true;
      push(frame);
    },
    push,
    end(frame) {
      push(frame);
      if (isOver) return;
      isOver = true;
      controller?.close();
    },
  };
}
