// Rows that were opened or closed by hand, as the address holds them: `0.2_-0.4_g0.3.1`. A closed one has a minus before
// it, a group has the letter g. Pure.

/** An address stays short: of more rows the oldest are left to what the level says. */
export const MOST_ROWS = 40;

const ROW = /^(-?)(g?)(0(?:\.\d+)*)$/;
const GROUP = 'group ';

export function openedIn(text: string | undefined): ReadonlyMap<string, boolean> {
  const rows = (text ?? '').split('_').flatMap((part): readonly [string, boolean][] => {
    const [, closed, group, path] = ROW.exec(part) ?? [];
    return path === undefined ? [] : [[group === 'g' ? GROUP + path : path, closed === '']];
  });
  return new Map(rows.slice(-MOST_ROWS));
}

/** The rows with one more, which is the newest now. */
export function withRow(opened: ReadonlyMap<string, boolean>, key: string, open: boolean): string {
  const rows = [...opened].filter(([known]) => known !== key);
  return [...rows, [key, open] as const].slice(-MOST_ROWS).map(rowText).join('_');
}

const rowText = ([key, open]: readonly [string, boolean]): string =>
  `${open ? '' : '-'}${key.startsWith(GROUP) ? `g${key.slice(GROUP.length)}` : key}`;
