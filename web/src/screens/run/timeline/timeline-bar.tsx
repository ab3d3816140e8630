// The bar above the timeline: how much is open, the filter, the time that is seen, and how it is followed.

import { badBelow } from '../../../../../src/views/runs/run-standing.ts';
import type { Address } from '../../../app/addresses.ts';
import { setQuery } from '../../../app/router.ts';
import { Button, Choices, FilterField } from '../../../parts/controls.tsx';
import { seconds } from '../../../parts/times.tsx';
import { failedBelow } from '../run-facts.ts';
import type { RunView } from '../run-view.ts';
import { FollowButton } from './follow-button.tsx';
import type { Level } from './rows.ts';
import type { TimeWindow } from './time-window.ts';
import { skipWaits } from './use-skips.ts';
import type { TimelineTime } from './use-time.ts';

interface Props {
  readonly view: RunView;
  readonly address: Address;
  readonly level: Level;
  readonly live: boolean;
  readonly time: TimelineTime;
  readonly isSelected: boolean;
}

const DETAILS = [
  { value: 'agents', name: 'Agents' },
  { value: 'turns', name: 'Turns' },
  { value: 'ops', name: 'Ops' },
] as const;

export const TimelineBar = ({ view, address, level, live, time, isSelected }: Props) => {
  const { query } = address;
  const { now, window, whole, skips, zoomTo } = time;
  return (
    <div class="bar">
      <Choices label="Detail" of={DETAILS} chosen={level} onChoose={(value) => setQuery({ level: value })} />
      <FilterField
        value={query['q'] ?? ''}
        placeholder="Filter: agent, tool, state, text"
        width={260}
        onChange={(q) => setQuery({ q })}
      />
      <span class="grow" />
      <span class="faint num small-text wide-only">{spanWords(window, whole.from, live && window.to >= now)}</span>
      <span class="wide-only">
        <Button size="small" keys="0" onPress={() => zoomTo(undefined)}>
          Fit
        </Button>
      </span>
      {live && <BadBelow view={view} />}
      {skips.isOffered && (
        <Button size="small" icon="skip" keys="shift+w" pressed={skips.isOn} onPress={() => skipWaits(!skips.isOn)}>
          Skip waits
        </Button>
      )}
      {live && <FollowButton address={address} />}
      {query['side'] === 'off' && (
        <Button size="small" keys={'\\'} onPress={() => setQuery({ side: undefined })}>
          {isSelected ? 'Inspector' : live ? 'Now' : 'Answer'}
        </Button>
      )}
    </div>
  );
};

/** `0 – 3.27 s`: the time that is seen, since the run began. */
const spanWords = (window: TimeWindow, start: number, toNow: boolean): string =>
  `${seconds(window.from - start).replace(/^0\.00 s$/, '0')} – ${toNow ? 'now' : seconds(window.to - start)}`;

/** Below 1200 pixels the head is one line, and says nothing of what came to nothing. */
const BadBelow = ({ view: { data } }: { readonly view: RunView }) => {
  const words = badBelow({ ...data.progress.value.calls, failedBelow: failedBelow(data.tree.value) });
  return words === undefined ? null : <span class="bad-below state s-limit small-text">{words}</span>;
};
