// The beginning of a file as text.

/** The bytes as text without a byte order mark; their last character may be cut in two. Undefined if they are not text. */
export function decodeHead(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
  } catch (thrown) {
    if (thrown instanceof TypeError) return undefined;
    throw thrown;
  }
}
