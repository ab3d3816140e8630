import type { SourceShape } from './names.mjs';

export interface HouseMeasure {
  readonly name: string;
  readonly value: number;
  readonly aim?: number;
  /** The word behind `--list` that prints the names. */
  readonly key?: string;
}

export function measures(shapes: readonly SourceShape[]): readonly HouseMeasure[];
export function sourceOf(shapes: readonly SourceShape[]): readonly SourceShape[];
