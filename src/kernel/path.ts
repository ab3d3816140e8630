// Op paths: the stable address of an effect in a run's tree. `0` is the run; its third request is `0.2`. `0.-1` is a question
// that had to be answered before the run could begin (BELOW-1).

export type OpPath = string;

export const ROOT: OpPath = '0';

export const childPath = (path: OpPath, index: number): OpPath => `${path}.${index}`;

export function parentPath(path: OpPath): OpPath | undefined {
  const dot = path.lastIndexOf('.');
  return dot < 0 ? undefined : path.slice(0, dot);
}

export const lastIndex = (path: OpPath): number => Number(path.slice(path.lastIndexOf('.') + 1));

export const isWithin = (path: OpPath, ancestor: OpPath): boolean =>
  path === ancestor || path.startsWith(`${ancestor}.`);

/** Tree order: `0.2` before `0.10`, a parent before its children. */
export function comparePaths(left: OpPath, right: OpPath): number {
  const a = left.split('.');
  const b = right.split('.');
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const difference = Number(a[index]) - Number(b[index]);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
