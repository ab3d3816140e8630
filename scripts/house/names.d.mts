/** The shape of one source file. */
export interface SourceShape {
  readonly path: string;
  readonly imports: readonly { readonly from: string }[];
}

export interface ExportedName {
  readonly name: string;
  /** Below src. */
  readonly file: string;
  /** Another file declares it. */
  readonly passedOn: boolean;
  readonly importers: readonly string[];
}

/** What breaks each rule, with the files that it stands in. */
export interface BrokenRules {
  readonly declaredTwice: Readonly<Record<string, readonly string[]>>;
  readonly bareWords: Readonly<Record<string, readonly string[]>>;
  readonly withoutImporter: Readonly<Record<string, readonly string[]>>;
}

export const EXCEPTIONS: string;
export function isBareWord(name: string): boolean;
export function projectShapes(): readonly SourceShape[];
export function exportedNames(shapes: readonly SourceShape[]): readonly ExportedName[];
export function brokenRules(shapes: readonly SourceShape[]): BrokenRules;
