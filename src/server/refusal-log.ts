// A line in the log for each request that is refused. Nobody can flood the log: of very many at once only the number is
// told.

/** Lines within one span of time. */
const MOST_LINES = 20;
const SPAN_MS = 1000;
const SHOWN = 200;

export type RefusalLog = (request: {
  readonly method: string;
  readonly path: string;
  /** The name of the token, where it is known. */
  readonly by: string | undefined;
  /** The status of HTTP, or the code of an error in a protocol on top of it. */
  readonly code: number;
  readonly message: string;
}) => void;

export function refusalLog({
  note,
  redact,
}: {
  note(text: string): void;
  /** Takes secrets out. */
  redact(text: string): string;
}): RefusalLog {
  let lines = 0;
  const endSpan = (): void => {
    if (lines > MOST_LINES) note(`${lines - MOST_LINES} more requests were refused`);
    lines = 0;
  };
  return ({ method, path, by, code, message }) => {
    if (lines++ === 0) setTimeout(endSpan, SPAN_MS).unref();
    if (lines > MOST_LINES) return;
    const what = redact(message).replaceAll(/\s+/g, ' ').trim();
    const who = by === undefined ? '' : ` by ${by}`;
    note(`refused ${code} ${method} ${path.slice(0, SHOWN)}${who}: ${what.slice(0, SHOWN)}`);
  };
}
