// While something loads: nothing for 150 ms, then bars in the place of rows. Never a spinner over content.

import { useEffect, useState } from 'preact/hooks';

const PATIENCE_MS = 150;
/** So many rows stand for a screen, which has a heading. */
const WHOLE_SCREEN = 8;
const WIDTHS = [42, 68, 35, 57, 49, 61, 38, 53] as const;

export const Loading = ({ rows = 8 }: { readonly rows?: number }) => {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="loading" aria-busy="true">
      {rows < WHOLE_SCREEN ? <span class="sr">Loading</span> : <h1 class="sr">Loading</h1>}
      {late &&
        Array.from({ length: rows }, (_, row) => (
          <div key={row} class="bones">
            <div class="bone" style={{ width: '18px' }} />
            <div class="bone" style={{ width: `${WIDTHS[row % WIDTHS.length]}%` }} />
          </div>
        ))}
    </div>
  );
};
