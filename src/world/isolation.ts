// Where the models of a helper are called, if not in this process.

import type { ModelProvider } from '../models/provider.ts';

/** Nothing is started before the first call. */
export interface Isolation {
  /** Calls the model of this name. `id` is that of its provider. */
  provider(id: string, model: string): ModelProvider;
  /** Settles when nothing of it is left. */
  close(): Promise<void>;
}
