// Names a person to those who read about them, the same on every surface: *you*, a name, or *somebody*. The names that
// the server gives to callers without one of their own are not shown.

/** `you`: the names that the reader goes by. */
export function personWord(by: string | undefined, you: readonly string[] = []): string {
  if (by !== undefined && you.includes(by)) return 'you';
  if (by === undefined || by === 'anyone') return 'somebody';
  return by === 'owner' ? 'whoever runs the server' : by;
}
