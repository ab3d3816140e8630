// The echo that a provider wants with the next request: signatures and ids on the parts of a reply, in their order. The
// texts themselves are not kept twice: a part says how many characters of the message's text or reasoning it is.

import type { SharedV3ProviderMetadata } from '@ai-sdk/provider';
import type { AssistantMessage } from '../../kernel/message.ts';
import type { RemoteKind } from '../settings.ts';

export interface Echo {
  readonly from: RemoteKind;
  readonly parts: readonly (
    | { readonly kind: 'text' | 'reasoning'; readonly chars: number; readonly meta?: SharedV3ProviderMetadata }
    | { readonly kind: 'call'; readonly id: string; readonly meta?: SharedV3ProviderMetadata }
  )[];
}

/** The echo of a message, where it has one that this kind of provider made. */
export function echoOf(message: AssistantMessage, kind: RemoteKind): Echo | undefined {
  const echo = message.echo as Partial<Echo> | undefined;
  return echo?.from === kind && Array.isArray(echo.parts) ? { from: kind, parts: echo.parts } : undefined;
}
