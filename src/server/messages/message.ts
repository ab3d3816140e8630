// A message of the HTTP API, as other files see it. Nothing here names zod, so that the types of the package need none.

/** The schema of a message is its only declaration: what TypeScript says of it is inferred. */
export interface ApiMessage<Value> {
  /** The type of the value. Only the compiler reads it. */
  readonly _output: Value;
}

export type ValueOf<Of extends ApiMessage<unknown>> = Of['_output'];
