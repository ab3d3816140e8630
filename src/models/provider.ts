// The contract of a model provider. A provider turns one request into a stream of events and keeps no state that
// matters: the conversation comes whole with each request.

import type { ModelRequest } from '../kernel/effect.ts';
import type { Fault } from '../kernel/fault.ts';
import type { AssistantMessage } from '../kernel/message.ts';
import type { ModelSight } from '../kernel/model-sight.ts';
import type { Usage } from '../kernel/usage.ts';
import type { RemoteKind } from './settings.ts';

/** A request for one named model: what a provider sees. */
export interface ProviderRequest
  extends Omit<ModelRequest, 'models' | 'maxRetries' | 'timeoutMs' | 'fresh' | 'folded' | 'compacted' | 'showsFiles'> {
  readonly model: string;
}

export type ModelEvent =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | { readonly type: 'call-delta'; readonly name: string; readonly text: string }
  | {
      readonly type: 'reply-end';
      readonly message: AssistantMessage;
      readonly finish: 'stop' | 'tool-calls' | 'length' | 'content-filter';
      readonly usage?: Usage;
      /** The cost by the provider's own count, which wins over the price table. */
      readonly usd?: number;
    }
  | { readonly type: 'reply-fault'; readonly fault: Fault; readonly usage?: Usage; readonly retryAfterMs?: number };

export type ReplyEnd = Extract<ModelEvent, { type: 'reply-end' }>;
export type ReplyFault = Extract<ModelEvent, { type: 'reply-fault' }>;

/**
 * Options that belong to a call and not to its request. An AbortController fits: its signal is made when first read.
 */
export interface CallOptions {
  readonly signal: AbortSignal;
  /** Gives the bytes of a file that stands in the request. Absent if none does. */
  readonly bytesOf?: BytesOf | undefined;
}

/** Rejects if the store does not have them any more. */
export type BytesOf = (digest: string) => Promise<Uint8Array>;

export interface ModelProvider {
  readonly id: string;
  /**
   * Never throws for provider trouble: the last event is exactly one `reply-end` or `reply-fault`. An abort ends
   * every wait at once, with a `cancelled` fault. A provider that waits for nothing need not read the signal.
   */
  stream(request: ProviderRequest, options: CallOptions): AsyncIterable<ModelEvent>;
  /** Called once when the process is done with it. */
  close?(): Promise<void>;
}

/** A limit on the calls under way to one provider. */
export interface ProviderLimit {
  /** Names the provider within the process: the same for the same provider of several cadres. */
  readonly key: string;
  readonly count: number;
}

/** The model behind a name. */
export interface ResolvedModel {
  /** `provider/model`, with aliases resolved: what the ledger shows. */
  readonly name: string;
  readonly provider: ModelProvider;
  /** The model's name at its provider. */
  readonly model: string;
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  /** The kind of its server; absent for a script. A recording has that of the provider that it records. */
  readonly kind?: RemoteKind;
  /** The number of calls that the provider takes at once, if cadre.yaml says so. */
  readonly limits?: readonly ProviderLimit[];
  /** True if a budget counts the provider's report, however little that is. */
  readonly trustUsage?: boolean;
  /** The files that it sees, and how they are counted. Absent: it sees none. */
  readonly sight?: ModelSight;
  /** The cost of this usage, undefined if no price is known. Absent: no price can be known. */
  cost?(usage: Usage): number | undefined;
}
