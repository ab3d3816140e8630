// While something loads: nothing for 150 ms, then bars in the place of rows. Never a spinner over content. A screen has
// exactly one heading of the first level at any time: only what stands for a whole screen brings it.

import { useEffect, useState } from 'preact/hooks';

const PATIENCE_MS = 150;
const WIDTHS = [42, 68, 35, 57, 49, 61, 38, 53] as const;

interface Props {
  readonly rows?: number;
}

/** It stands in the place of a whole screen. */
export const LoadingScreen = (props: Props) => (
  <>
    <h1 class="sr">Loading</h1>
    <Bones {...props} />
  </>
);

/** It stands in the place of a part of a screen, which has its heading elsewhere. */
export const Loading = (props: Props) => (
  <>
    <span class="sr">Loading</span>
    <Bones {...props} />
  </>
);

export const Bones = ({ rows = 8 }: Props) => {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="inset" aria-busy="true">
      {late &&
        Array.from({ length: rows }, (_, row) => (
          <div key={row} class="bones line gaps-12">
            <div class="bone" style={{ width: '18px' }} />
            <div class="bone" style={{ width: `${WIDTHS[row % WIDTHS.length]}%` }} />
          </div>
        ))}
    </div>
  );
};
