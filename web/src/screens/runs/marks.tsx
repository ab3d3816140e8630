// Two runs that are marked for comparing. They stand in the address.

import { useMemo, useState } from 'preact/hooks';
import { hrefOf } from '../../app/addresses.ts';
import { go, setQuery } from '../../app/router.ts';
import { Button } from '../../parts/controls.tsx';
import { comparedRuns, marksWith } from './run-rows.ts';

export function useMarks(asked: string | undefined, focused: string | undefined) {
  const place = `${asked} ${focused}`;
  /** It is said until something else is marked, or has the focus. */
  const [refused, setRefused] = useState<{ readonly at: string; readonly why: string } | undefined>(undefined);
  const why = refused?.at === place ? refused.why : undefined;
  return useMemo(() => {
    const runs = (asked ?? '').split(',').filter((run) => run !== '');
    const mark = (next: readonly string[]): void => setQuery({ mark: next.length === 0 ? undefined : next.join(',') });
    return {
      runs,
      /** The reason why nothing was compared. */
      why,
      toggle: () => {
        if (focused !== undefined) mark(marksWith(runs, focused));
      },
      clear: () => mark([]),
      compare: () => {
        const pair = comparedRuns(runs, focused);
        if ('why' in pair) setRefused({ at: place, why: pair.why });
        else go(hrefOf({ screen: 'diff', left: pair[0], right: pair[1] }));
      },
    };
  }, [asked, focused, why]);
}

export const Marks = ({ of }: { readonly of: ReturnType<typeof useMarks> }) => {
  const { runs, why, clear, compare } = of;
  if (runs.length === 0 && why === undefined) return null;
  return (
    <div class="bar inset-bar small-text" role="status">
      {runs.length > 0 && (
        <>
          <span class="soft">{runs.length === 1 ? '1 run is marked' : '2 runs are marked'}</span>
          <Button size="small" keys="c" onPress={compare}>
            {runs.length === 1 ? 'Compare with this one' : 'Compare them'}
          </Button>
          <Button kind="bare" size="small" icon="close" onPress={clear}>
            Unmark
          </Button>
        </>
      )}
      {why !== undefined && <span class="soft">{why}</span>}
    </div>
  );
};
