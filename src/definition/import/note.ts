// What an import has to say about one agent: what it loses here, and what a person has left to do.

export interface ImportNote {
  /** `changed`: it is called something else here. `lost`: nothing here does the same. `todo`: it waits for a person. */
  readonly kind: 'changed' | 'lost' | 'todo';
  /** What it is about, as the file writes it: `WebSearch`, `color`. */
  readonly what: string;
  readonly why: string;
}
