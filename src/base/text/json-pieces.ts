// The text of a JSON value in pieces, for one that is too large to be written at once.

/** Characters of a piece, if no plain part of the value is longer. */
const PIECE = 2048;

/** Joined, the pieces are what `JSON.stringify` gives. The value is plain data. */
export function* jsonPieces(value: unknown): Generator<string, undefined, undefined> {
  let piece = '';
  for (const part of parts(value)) {
    piece += part;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

function* parts(value: unknown): Generator<string, undefined, undefined> {
  if (!isNested(value)) {
    yield JSON.stringify(value) ?? 'null';
    return;
  }
  const frames: {
    readonly entries: Iterator<readonly [string | undefined, unknown]>;
    readonly close: string;
    isFirst: boolean;
  }[] = [frameOf(value)];
  yield openingOf(value);
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    const next = frame.entries.next();
    if (next.done === true) {
      yield frame.close;
      frames.pop();
      continue;
    }
    const [key, one] = next.value;
    const begun = `${frame.isFirst ? '' : ','}${key === undefined ? '' : `${JSON.stringify(key)}:`}`;
    frame.isFirst = false;
    if (isNested(one)) {
      frames.push(frameOf(one));
      yield begun + openingOf(one);
    } else yield begun + (JSON.stringify(one) ?? 'null');
  }
}

/** A value that holds more than plain values is written part by part. */
const isNested = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.values(value).some((one) => typeof one === 'object');

const openingOf = (value: object): string => (Array.isArray(value) ? '[' : '{');

const frameOf = (value: object) => ({ entries: entriesOf(value), close: closingOf(value), isFirst: true });

const closingOf = (value: object): string => (Array.isArray(value) ? ']' : '}');

function* entriesOf(value: object): Generator<readonly [string | undefined, unknown], undefined, undefined> {
  if (Array.isArray(value)) for (const one of value as readonly unknown[]) yield [undefined, one];
  else for (const [key, one] of Object.entries(value)) if (one !== undefined) yield [key, one];
}
