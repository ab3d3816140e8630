// The models of a call's list that were not asked, because another of the list sees more of the files that are there.

import type { OpEnd } from '../journal/event.ts';
import type { ModelReply } from '../kernel/effect.ts';

/** Undefined where all models of the list were there to be asked. */
export function passedOverIn({ kind, result }: Pick<OpEnd, 'kind' | 'result'>): readonly string[] | undefined {
  if (kind !== 'model') return undefined;
  const { passedOver } = result.ok ? (result.value as ModelReply) : (result.fault.details ?? {});
  return Array.isArray(passedOver) ? (passedOver as readonly string[]) : undefined;
}

/** `acme/small passed over, which sees less of the files` */
export const passedOverWords = (models: readonly string[]): string =>
  `${models.join(', ')} passed over, which ${models.length === 1 ? 'sees' : 'see'} less of the files`;
