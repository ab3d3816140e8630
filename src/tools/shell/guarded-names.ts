// The guard of a name that cannot be mounted as it is (guards.ts).

/** GUARD-2. Absolute. */
export interface MissingName {
  readonly path: string;
  readonly kind: 'file' | 'folder';
}

/** GUARD-3. Absolute. What is there now, if it is a link: where it leads. */
export interface WatchedName {
  readonly path: string;
  readonly link?: string;
}
