// The notes of an import on one agent: its losses here, and the tasks that a person has left.

/** A loss that changes what an agent can do or may do, or what it hands on. Without one it is `color` and the like. */
export type LossSubject = 'tool' | 'restriction' | 'reference' | 'schema';

export interface ImportNote {
  /** `changed`: it is called something else here. `lost`: nothing here does the same. `todo`: it waits for a person. */
  readonly kind: 'changed' | 'lost' | 'todo';
  /** The subject, as the file writes it: `WebSearch`, `color`. */
  readonly what: string;
  readonly why: string;
  readonly about?: LossSubject;
}

/** A loss that makes an import fail unless it is allowed. */
export const isGrave = ({ kind, about }: ImportNote): boolean => kind === 'lost' && about !== undefined;
