// Small things of a store, by key. A store implements this once; messages, blobs, keys and results of tests are written
// above it, once for every store.
// CELL-1. Of all that put a cell and expect the same, one succeeds. A put that is refused changes nothing, not even a time.
// CELL-2. A version is never the same for two values of one key, also over a delete. Who puts chooses it, so that a put
//         that is repeated after a lost answer recognises itself.
// CELL-3. One cell that cannot be read is set aside with a warning, and breaks neither the list nor its neighbours.

/** A collection that is treated alike, declared once beside the code that uses it. */
export interface Space {
  readonly name: string;
  /** `lines`: a head on one line, which lists show, and a body. `bytes`: a body alone, as it is. */
  readonly holds: 'lines' | 'bytes';
  /** A larger value is set aside, and was not put by us. */
  readonly maxBytes?: number;
  /** A put is told to those who watch, in every process. */
  readonly tells?: true;
  /** Its values are secrets: they lie apart from all others, where backups and version control are told to leave them. */
  readonly isSecret?: true;
  /** Where nobody can answer at the moment, a cell that is absent may be left to the store, and counts as put. */
  readonly waits?: true;
}

export interface CellValue {
  /** One line. Empty where a space holds bytes. */
  readonly head: string;
  readonly body: Uint8Array;
}

interface CellInfo {
  /** One or two parts of letters, digits, "_", "~", "." and "-", with "/" between. */
  readonly key: string;
  /** CELL-2 */
  readonly version: string;
  /** The time at which it was put or touched last, by the clock of the store: milliseconds since 1970. */
  readonly putAt: number;
  /** The size of the body or, where a list did not ask for it, about that. */
  readonly size: number;
}

export interface Cell extends CellInfo, CellValue {}

/** `absent`: there is none. A version: it is there, and has that one. */
export type CellCondition = 'absent' | 'any' | { readonly version: string };

export interface Cells {
  get(space: Space, key: string): Promise<Cell | undefined>;
  /** When it returns, what was put survives this process (CELL-1). */
  putIf(
    space: Space,
    key: string,
    value: CellValue,
    expected: CellCondition,
  ): Promise<
    | { readonly isPut: true; readonly version: string }
    /** The cell that stands there instead, without its body. Undefined if it went meanwhile. */
    | { readonly isPut: false; readonly standing: Cell | undefined }
  >;
  /** Gives it another version and time, as if the same value were put now. False if there is none. */
  touch(space: Space, key: string): Promise<boolean>;
  /** Those whose key begins so. */
  list(
    space: Space,
    prefix: string,
    options?: {
      /** Default: all. */
      readonly limit?: number;
      /** The order of the keys. Default: `up`. */
      readonly order?: 'up' | 'down';
      /** A part that is left out is empty. Default: `heads`. */
      readonly with?: 'keys' | 'heads' | 'bodies';
    },
  ): Promise<readonly Cell[]>;
  /** With a version, deletes only that one. False if it is not there, and when a lost answer is asked for again. */
  delete(space: Space, key: string, version?: string): Promise<boolean>;
  /** Takes what nobody understands out of the way. Returns where it is kept, if it is. */
  setAside(space: Space, key: string): Promise<string | undefined>;
  /**
   * Tells when a cell whose first part is this may have been put, until the function that it returns is called. A caller
   * that does this before it lists misses nothing. It does not keep the process alive.
   */
  watch(space: Space, first: string, told: () => void): () => void;
}

const KEY = /^[\w~.-]{1,200}(?:\/[\w~.-]{1,64})?$/;

export const isKey = (key: string): boolean => KEY.test(key) && !key.split('/').some((part) => /^\.+$/.test(part));

/** Throws for a key that no store could keep: a defect of the caller, who hashes what people choose. */
export function checkKey(key: string): string {
  if (isKey(key)) return key;
  throw new Error(`${JSON.stringify(key.slice(0, 300))} cannot be the key of a cell`);
}

export const firstOfKey = (key: string): string => key.split('/', 1)[0] as string;

export const NO_BYTES = new Uint8Array();

/** A value that is text. */
export const textValue = (head: string, text = ''): CellValue => ({
  head,
  body: text === '' ? NO_BYTES : new TextEncoder().encode(text),
});

export const textIn = ({ body }: CellValue): string => new TextDecoder().decode(body);
