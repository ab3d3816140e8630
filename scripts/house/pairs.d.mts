interface FileImports {
  readonly path: string;
  readonly imports: readonly { readonly from: string }[];
}

export function mutualPairs(shapes: readonly FileImports[]): readonly string[];
