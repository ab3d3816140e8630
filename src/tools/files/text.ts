// Bytes of a file as text and as lines, or the reason why they are not text.

const sniffedBytes = 8192;

export function decode(bytes: Uint8Array): { readonly text: string } | { readonly binary: string } {
  if (bytes.subarray(0, sniffedBytes).includes(0)) return { binary: 'it holds zero bytes' };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (thrown) {
    if (thrown instanceof TypeError) return { binary: 'it is not UTF-8' };
    throw thrown;
  }
}

/** The lines of a text, without the empty one that a final line break would leave. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
