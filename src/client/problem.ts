// A request that the server refused, or that did not reach it.

export class Problem extends Error {
  /** The HTTP status; 0 where the server could not be reached. */
  readonly status: number;
  /** The fault's code, as in the command line. */
  readonly code: string;
  /** Further words of the server: violations, the person who decided, the nearest ids. */
  readonly details: Readonly<Record<string, unknown>>;
  constructor(status: number, code: string, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = 'Problem';
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** Trying again does not help: the request itself is refused, and not the moment. */
export const isFinal = ({ status }: Problem): boolean =>
  status >= 400 && status < 500 && status !== 408 && status !== 429;

/** A problem document as in RFC 9457, with the fault's code. Something between here and the server may answer otherwise. */
export async function problemFrom(response: Response): Promise<Problem> {
  const text = await response.text();
  const code = `http/${response.status}`;
  try {
    const { code: given, detail, title, ...rest } = JSON.parse(text) as Record<string, unknown>;
    const [words] = [detail, title, response.statusText].filter((one) => typeof one === 'string');
    return new Problem(response.status, typeof given === 'string' ? given : code, words ?? '', rest);
  } catch {
    return new Problem(response.status, code, text.slice(0, 300) || response.statusText);
  }
}
