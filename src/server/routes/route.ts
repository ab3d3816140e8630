// A route as data: what it takes, what it answers, who may use it, and the function behind it. Requests are checked,
// the OpenAPI document and the reference page are written from the same record.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { jsonPieces } from '../../base/text/json-pieces.ts';
import type { CallerAccess } from '../access.ts';
import type { Address } from '../address.ts';
import type { Caller } from '../caller.ts';
import type { ServerContext } from '../context.ts';
import { RUN_PARAM } from '../messages/fields.ts';
import type { RunRow } from '../messages/runs.ts';
import type { FieldValues, RequestFields } from '../messages/schema.ts';
import { visibleRun } from '../runs/visible-runs.ts';

export interface ApiRequest<Params = unknown, Query = unknown, Body = unknown> {
  readonly caller: Caller;
  /** The access of the caller for work that takes long: the rights may change while it is answered. */
  readonly access: CallerAccess;
  /** These are what their schemas say: they have been checked. */
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  header(name: string): string | undefined;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

export type Reply =
  | {
      readonly kind: 'json';
      readonly status: number;
      readonly body: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'bytes';
      readonly status: number;
      readonly body: Uint8Array<ArrayBuffer> | string;
      readonly headers: Readonly<Record<string, string>>;
    }
  /** A body that may be long, written as the client reads it. The pieces are made in between. */
  | { readonly kind: 'pieces'; readonly type: string; readonly pieces: Iterable<string> | AsyncIterable<string> }
  | { readonly kind: 'empty'; readonly status: number }
  /** The route writes the response itself. */
  | { readonly kind: 'sent' };

export interface Route extends Address {
  answer(request: ApiRequest, context: ServerContext): Promise<Reply>;
}

type NoFields = Readonly<Record<never, never>>;

/** `answer` gets what the other keys declare. */
export const route = <
  Params extends RequestFields = NoFields,
  Query extends RequestFields = NoFields,
  Body = undefined,
>(
  of: Address<Params, Query, Body> & {
    answer(request: ApiRequest<FieldValues<Params>, FieldValues<Query>, Body>, context: ServerContext): Promise<Reply>;
  },
): Route => of as unknown as Route;

/** A route of one run: `answer` gets its row. To a caller that may not see the run it is unknown. */
export const runRoute = <
  Params extends RequestFields = NoFields,
  Query extends RequestFields = NoFields,
  Body = undefined,
>({
  params,
  faults = [],
  answer,
  ...of
}: Address<Params, Query, Body> & {
  answer(
    request: ApiRequest<FieldValues<Params>, FieldValues<Query>, Body> & { readonly row: RunRow },
    context: ServerContext,
  ): Promise<Reply>;
}): Route => ({
  ...(of as Address),
  params: { run: RUN_PARAM, ...params },
  faults: ['run/unknown', ...faults],
  async answer(request, context) {
    const { run } = request.params as { readonly run: string };
    const row = await visibleRun(run, request.caller, context);
    return answer({ ...(request as Parameters<typeof answer>[0]), row }, context);
  },
});

/** JSON that may be long. */
export const longJson = (body: unknown): Reply => ({
  kind: 'pieces',
  type: 'application/json',
  pieces: jsonPieces(body),
});

export const json = (body: unknown, status = 200, headers?: Readonly<Record<string, string>>): Reply => ({
  kind: 'json',
  status,
  body,
  ...(headers && { headers }),
});
