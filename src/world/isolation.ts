// The contract of a process that calls the models of a helper.

import type { ModelProvider } from '../models/provider.ts';

/** Nothing is started before the first call. */
export interface Isolation {
  /** Calls the model of this name. `id` is that of its provider. */
  provider(id: string, model: string): ModelProvider;
  /** Settles when nothing of it is left. */
  close(): Promise<void>;
}
