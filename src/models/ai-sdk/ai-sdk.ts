import type { ModelProvider } from '../provider.ts';
import type { Access } from './access.ts';
export function aiSdk(_id: string, _access: Access): ModelProvider {
  throw new Error('soon');
}
