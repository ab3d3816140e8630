import type { ModelProvider } from '../provider.ts';
export function recorded(_of: { id: string; file: string; inner: () => Promise<ModelProvider> }): ModelProvider {
  throw new Error('soon');
}
