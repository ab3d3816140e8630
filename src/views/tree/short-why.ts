// The beginning of a reason that may be long: a judge that is a command, and a tool that failed, give all that they wrote.

const LONGEST = 300;

/** All of a short reason, and the beginning of the first line of a long one. */
export function shortWhy(why: string): string {
  if (why.length <= LONGEST) return why;
  const [line = ''] = why.split('\n', 1);
  return `${line.slice(0, LONGEST).replace(/[\ud800-\udbff]$/, '')} …`;
}
