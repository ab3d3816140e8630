// The tab Timeline: the table, what happens below it while the run is live, and the side: the selected op, or what the
// run does now, or its answer.

import type { Address } from '../../../app/addresses.ts';
import { select, setQuery } from '../../../app/router.ts';
import { later } from '../../../parts/later.tsx';
import { useMedia } from '../../../parts/media.ts';
import type { RunDialogs } from '../actions/run-actions.tsx';
import type { RunView } from '../run-view.ts';
import { Answer } from '../side/answer.tsx';
import { NowPanel } from '../side/now.tsx';
import { NowLine } from '../side/now-line.tsx';
import { sideShown } from '../side/side-shown.ts';
import { Tail } from '../side/tail.tsx';
import { LEVELS, type Level } from './rows.ts';
import { Timeline } from './timeline.tsx';

const Inspector = later('part', () => import('../inspector/inspector.tsx').then((one) => one.Inspector));

interface Props {
  readonly view: RunView;
  readonly address: Address;
  readonly live: boolean;
  /** The level if the address names none. */
  readonly usualLevel: Level;
  readonly dialogs: RunDialogs;
}

export const TimelineTab = (props: Props) => {
  const { view, address, live } = props;
  const { selected } = address;
  const level = LEVELS.find((one) => one === address.query['level']) ?? props.usualLevel;
  const path = selected?.kind === 'op' ? selected.path : opOfEvent(view, selected?.seq);
  // A run that broke off has neither an answer nor a now: its banner says all there is.
  const isEmpty = path === undefined && !live && view.data.phase.value === 'broken-off';
  const isDrawer = useMedia('(max-width: 1199px)') && live;
  const side = sideShown(address.query, isDrawer);
  const shut = isEmpty || (side === undefined && (path === undefined || !isDrawer));
  const close = (): void => {
    setQuery({ side: isDrawer ? undefined : 'off' });
    select(undefined);
  };
  const split = (
    <div class={shut ? 'split alone' : 'split'}>
      <div class="tl-pane stack">
        <Timeline view={view} address={address} level={level} live={live} />
        {live && level === 'agents' && <Tail view={view} />}
      </div>
      {!shut && <Side {...props} path={path} isDrawer={isDrawer} toMessage={side === 'message'} onClose={close} />}
    </div>
  );
  if (!isDrawer) return split;
  return (
    <div class="tl-live frame">
      {split}
      <NowLine view={view} open={path === undefined ? side : undefined} />
    </div>
  );
};

interface SideProps extends Props {
  /** The selected op. */
  readonly path: string | undefined;
  readonly isDrawer: boolean;
  /** The line to write on gets the focus. */
  readonly toMessage: boolean;
  readonly onClose: () => void;
}

const Side = ({ view, live, dialogs, path, isDrawer, toMessage, onClose }: SideProps) => {
  if (path !== undefined)
    return (
      <aside class="side drawer" aria-label="The selected op">
        <Inspector key={path} view={view} path={path} dialogs={dialogs} onClose={onClose} />
      </aside>
    );
  return (
    <aside
      class={isDrawer ? 'side drawer now-drawer' : 'side'}
      aria-label={live ? 'What it is doing now' : 'The answer'}
    >
      {live ? <NowPanel view={view} focus={toMessage} onClose={onClose} /> : <Answer view={view} onClose={onClose} />}
    </aside>
  );
};

const opOfEvent = (view: RunView, seq: number | undefined): string | undefined => {
  const event = seq === undefined ? undefined : view.data.events[seq];
  return event !== undefined && 'path' in event ? event.path : undefined;
};
