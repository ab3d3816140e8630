// Numbers as people read them in a message.

/** `1 line`, `2 lines`. */
export const countedNoun = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;

export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KiB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

export const durationText = (milliseconds: number): string =>
  milliseconds < 1000 ? `${milliseconds} ms` : `${Math.round(milliseconds / 100) / 10} s`;

/** Bytes as people read them, in seven columns at most. */
export function bytesText(count: number): string {
  if (count < 1000) return `${count} B`;
  if (count < 999_500) return `${(count / 1000).toFixed(count < 9950 ? 1 : 0)} kB`;
  if (count < 999_500_000) return `${(count / 1_000_000).toFixed(count < 9_950_000 ? 1 : 0)} MB`;
  return `${(count / 1_000_000_000).toFixed(1)} GB`;
}
