// The messages of a chat come from a terminal or a pipe. The rules are the same for both: a line is a message, and one
// that ends with a backslash goes on in the next line.

export interface Messages {
  /** The next message, never blank. Undefined when no more will come. */
  next(): Promise<string | undefined>;
  /** No more messages are wanted: a caller that waits for one gets undefined. */
  close(): void;
}

export function growingMessages(): {
  /** The whole message, once this line ends it. `more` says that lines follow, whatever this one ends with. */
  add(line: string, more?: boolean): string | undefined;
  readonly isBegun: boolean;
  drop(): void;
} {
  let lines: string[] = [];
  return {
    add(line, more = false) {
      const goesOn = !more && /(?:^|[^\\])\\$/.test(line);
      lines.push(goesOn ? line.slice(0, -1) : line);
      if (goesOn || more) return undefined;
      const text = lines.join('\n').replace(/\s+$/, '');
      lines = [];
      return text;
    },
    get isBegun() {
      return lines.length > 0;
    },
    drop() {
      lines = [];
    },
  };
}
