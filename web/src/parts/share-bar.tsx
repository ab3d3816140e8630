// A bar of shares, side by side: who cost how much, or how many came to what. It stands beside the figures that it draws.

import type { Family } from './state.tsx';

export interface BarPart {
  /** Its part of the whole bar: 0 to 1. */
  readonly share: number;
  /** Its colour is that of an outcome; else that of a model call. */
  readonly family?: Family | undefined;
  /** That of others, which it includes. */
  readonly isPale?: boolean;
}

export const ShareBar = ({ parts }: { readonly parts: readonly BarPart[] }) => (
  <span class="share-bar" aria-hidden="true">
    {parts.map(({ share, family, isPale = false }, index) => (
      <i
        key={index}
        class={family === undefined ? (isPale ? 'pale' : undefined) : `s-${family}`}
        style={{ width: `${share * 100}%` }}
      />
    ))}
  </span>
);
