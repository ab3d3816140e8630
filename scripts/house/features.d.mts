import type { SourceShape } from './names.mjs';

export interface FeatureLines {
  readonly name: string;
  readonly files: number;
  readonly lines: number;
}

export function featureLines(source: readonly SourceShape[]): readonly FeatureLines[];
