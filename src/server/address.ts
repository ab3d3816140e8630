// An address of the server as data: what it takes, what it answers, and who may use it. The check of requests, permissions,
// the OpenAPI document and the reference page read it.

import type { Permission } from '../definition/definition.ts';
import type { FaultCode } from '../kernel/fault.ts';
import type { ApiMessage } from './messages/message.ts';
import type { RequestFields } from './messages/schema.ts';

export interface RouteAnswer {
  readonly description: string;
  /** JSON; absent where there is no body. */
  readonly body?: ApiMessage<unknown>;
  /** Other types that it may have, and what they hold. */
  readonly types?: Readonly<Record<string, string>>;
}

export interface Address<
  Params extends RequestFields = RequestFields,
  Query extends RequestFields = RequestFields,
  Body = unknown,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The pattern of the path, such as `/api/runs/:run`; `:agent{.+}` is a part that may hold slashes. */
  readonly path: string;
  /** Its name in the OpenAPI document. */
  readonly name: string;
  readonly tag: string;
  readonly summary: string;
  /** `open`: without a token. `token`: with one, whatever it may do. */
  readonly permission: Permission | 'open' | 'token';
  readonly params?: Params;
  readonly query?: Query;
  readonly headers?: RequestFields;
  /** It may be left out if none of its keys is required. */
  readonly body?: ApiMessage<Body>;
  readonly answers: Readonly<Record<number, RouteAnswer>>;
  /** Faults that are its own, beside those that any request may get. */
  readonly faults?: readonly FaultCode[];
}
