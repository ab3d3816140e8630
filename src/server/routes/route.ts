// A route as data: what it takes, what it answers, who may use it, and the function behind it. Requests are checked,
// the OpenAPI document and the reference page are written from the same record.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Permission } from '../../agents/definition.ts';
import type { FaultCode } from '../../kernel/fault.ts';
import type { JsonSchema } from '../../kernel/schema.ts';
import { jsonPieces } from '../../text/json-pieces.ts';
import type { CallerAccess } from '../auth/access.ts';
import type { Caller } from '../auth/caller.ts';
import type { ServerContext } from '../context.ts';

export interface Field {
  readonly schema: JsonSchema;
  readonly description: string;
  readonly required?: true;
}

export type RouteFields = Readonly<Record<string, Field>>;

export interface RouteAnswer {
  readonly description: string;
  /** JSON of this schema; absent where there is no body. */
  readonly schema?: JsonSchema;
  /** Other types that it may have, and what they hold. */
  readonly types?: Readonly<Record<string, string>>;
}

export interface ApiRequest {
  readonly caller: Caller;
  /** For what takes long: the rights may change while it is answered. */
  readonly access: CallerAccess;
  readonly params: Readonly<Record<string, string>>;
  /** Numbers and booleans are what their schemas say. */
  readonly query: Readonly<Record<string, string | number | boolean>>;
  readonly body: unknown;
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

export interface Route {
  readonly method: 'GET' | 'POST';
  /** As in `/api/runs/:run`. */
  readonly path: string;
  /** Its name in the OpenAPI document. */
  readonly name: string;
  readonly tag: string;
  readonly summary: string;
  /** `open`: without a token. */
  readonly permission: Permission | 'open';
  readonly params?: RouteFields;
  readonly query?: RouteFields;
  readonly headers?: RouteFields;
  readonly body?: { readonly schema: JsonSchema; readonly required: boolean };
  readonly answers: Readonly<Record<number, RouteAnswer>>;
  /** Faults that are its own, beside those that any request may get. */
  readonly faults?: readonly FaultCode[];
  answer(request: ApiRequest, context: ServerContext): Promise<Reply>;
}

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
