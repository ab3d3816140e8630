// A request to a head over HTTP: its body, who asks, which agent is meant, and whether the client is still there.

import type { ServerResponse } from 'node:http';
import { explainJsonError, type JsonObject, readJson } from '../../base/text/json.ts';
import { fail } from '../../kernel/fault.ts';
import type { ServerCall, ServerContext } from '../context.ts';
import { requestText } from '../request-text.ts';
import type { AnsweredRuns } from './answered-runs.ts';
import { isFields } from './fields.ts';
import type { HeadParts } from './head-host.ts';
import type { HeadRun } from './head-run.ts';

export interface HeadCall {
  readonly body: JsonObject;
  readonly parts: HeadParts;
  readonly server: ServerContext;
  /** Aborted when the client has closed the connection before it was answered. */
  readonly gone: AbortSignal;
  readonly outgoing: ServerResponse;
  header(name: string): string | undefined;
}

/** Throws `request/too-large`, `request/media-type` and `request/invalid`. */
export async function readCall(call: ServerCall, context: ServerContext, answered: AnsweredRuns): Promise<HeadCall> {
  const { incoming, outgoing } = call.env as {
    readonly incoming: typeof call.env.incoming;
    readonly outgoing: ServerResponse;
  };
  const gone = new AbortController();
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) gone.abort();
  });
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(call.req.header('content-type') ?? ''))
    fail('request/media-type', 'The body must be JSON. Send it with: Content-Type: application/json');
  const read = readJson(await requestText(incoming, context.settings().maxBodyBytes));
  if (!read.ok) return fail('request/invalid', `The body ${explainJsonError(read)}.`);
  if (!isFields(read.value)) return fail('request/invalid', 'The body must be a JSON object.');
  const parts = { context, caller: call.get('caller'), access: call.get('access'), answered };
  return {
    body: read.value,
    parts,
    server: context,
    gone: gone.signal,
    outgoing,
    header: (name) => call.req.header(name),
  };
}

/** The header by which any client names a thread. */
export const THREAD_HEADER = 'x-cadre-thread';

/** Every answer names its run in these headers, beside the words of its protocol. */
export const runHeaders = ({ run, place }: HeadRun): Readonly<Record<string, string>> => ({
  'x-cadre-run': run,
  [THREAD_HEADER]: place.thread,
});
