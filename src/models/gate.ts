// The gate of an attempt before it is sent: a budget, the limit of its provider. This layer knows only that there is a
// gate; the layer above implements it.

import type { Fault } from '../kernel/fault.ts';
import type { StopSignal } from '../kernel/stop-signal.ts';
import type { Count } from '../kernel/usage.ts';
import type { AttemptResult } from './attempt.ts';
import type { ProviderRequest, ResolvedModel } from './provider.ts';

export interface Gate {
  /**
   * Waits for its turn; the time does not count as the attempt's. Never throws: the fault says why the attempt cannot
   * be made, and an abort ends the wait at once with its fault.
   */
  enter(request: ProviderRequest, signal: StopSignal): Promise<Pass | Fault>;
}

export interface Pass {
  /** The request as it may be sent. */
  readonly request: ProviderRequest;
  /** Called exactly once, when the attempt is over. Returns what a budget counts for it, where there is a budget. */
  leave(result: AttemptResult): Promise<Count | undefined>;
}

/** A model whose attempts pass a gate. */
export interface GatedModel extends ResolvedModel {
  readonly gate?: Gate;
}
