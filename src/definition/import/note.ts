// The notes of an import on one agent: its losses here, and the tasks that a person has left.

export interface ImportNote {
  /** `changed`: it is called something else here. `lost`: nothing here does the same. `todo`: it waits for a person. */
  readonly kind: 'changed' | 'lost' | 'todo';
  /** The subject, as the file writes it: `WebSearch`, `color`. */
  readonly what: string;
  readonly why: string;
}
