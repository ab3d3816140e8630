// The journal of a run: every event as it is, in words and as JSON.

import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { RunEvent } from '../../../../src/journal/event.ts';
import { bytes, plural } from '../../../../src/views/amounts.ts';
import { matches, parseFilter } from '../../../../src/views/runs/filter.ts';
import { opHref } from '../../app/addresses.ts';
import { type KeyBinding, useKeys } from '../../app/keys.ts';
import { listKeys } from '../../app/list-keys.ts';
import { go, select, setQuery } from '../../app/router.ts';
import { serverNow } from '../../data/clock.ts';
import { offline } from '../../data/connection.ts';
import { useRead } from '../../data/use-read.ts';
import { Button, Choices, copyText, FilterField, LinkButton } from '../../parts/controls.tsx';
import { JsonText } from '../../parts/json-text.tsx';
import { PanelHead } from '../../parts/panel.tsx';
import { RowsWindow } from '../../parts/rows-window.tsx';
import { sinceStart } from '../../parts/times.tsx';
import type { RunTabProps } from '../run/tabs.ts';
import { type EventChoice, eventWords, isOfKind, KINDS, opOf, TYPE_WORDS } from './event-words.ts';
import './journal.css';

const ROW_PX = 24;

export const JournalTab = ({ data, address, ask }: RunTabProps) => {
  const { query } = address;
  const choice = KINDS.find((one) => one === query['kind']) ?? 'all';
  const filter = useMemo(() => parseFilter(query['q'] ?? ''), [query['q']]);
  const { events, count } = data.extent.value;
  const rows = useMemo(
    () =>
      events
        .slice(0, count)
        .filter((event) => isOfKind(event, choice) && matches(fieldsOf(event), filter, serverNow())),
    [count, choice, filter],
  );
  const chosen = chosenEvent(rows, address);
  /** Rows that a filter brings are not new. */
  const shape = useMemo(() => ({}), [choice, filter, data]);
  const isEnded =
    data.shownAt.value === undefined && (data.phase.value === 'ended' || events[count - 1]?.type === 'run-end');
  useKeys(useMemo(() => rowKeys(data.run, rows, chosen), [rows, chosen?.seq]));
  return (
    <div class="split">
      <div class="pane">
        <JournalBar query={query} choice={choice} count={rows.length}>
          {isEnded && (
            <Button size="small" icon="replay" off={offline()} onPress={() => ask('replay')}>
              Replay
            </Button>
          )}
        </JournalBar>
        <JournalHead />
        <EventRows rows={rows} chosen={chosen?.seq} data={data} shape={shape} />
      </div>
      {chosen !== undefined && (
        <OneEvent key={chosen.seq} event={chosen} run={data.run} isCut={data.cuts.has(chosen.seq)} />
      )}
    </div>
  );
};

interface EventRowsProps {
  readonly rows: readonly RunEvent[];
  readonly chosen: number | undefined;
  readonly data: RunTabProps['data'];
  readonly shape: object;
}

const EventRows = ({ rows, chosen, data, shape }: EventRowsProps) => (
  <RowsWindow
    rows={rows}
    height={ROW_PX}
    keyOf={({ seq }) => String(seq)}
    shownKey={chosen === undefined ? undefined : String(chosen)}
    label="Events"
    role="grid"
    countedSince={data.phase.value === 'running' ? shape : undefined}
    render={(event, { index, top, slot }) => (
      <EventRow
        key={slot}
        event={event}
        index={index}
        top={top}
        start={data.events[0]?.at ?? 0}
        cut={data.cuts.get(event.seq)}
        isChosen={event.seq === chosen}
      />
    )}
  />
);

const JournalBar = (props: {
  readonly query: RunTabProps['address']['query'];
  readonly choice: EventChoice;
  readonly count: number;
  readonly children: ComponentChildren;
}) => (
  <div class="bar journal-bar">
    <FilterField
      value={props.query['q'] ?? ''}
      placeholder="type:attempt op:0.4.7 text"
      width={320}
      onChange={(text) => setQuery({ q: text === '' ? undefined : text })}
    />
    <Choices
      label="Which events"
      chosen={props.choice}
      of={KINDS.map((value) => ({ value, name: value[0]?.toUpperCase() + value.slice(1) }))}
      onChoose={(value: EventChoice) => setQuery({ kind: value === 'all' ? undefined : value })}
    />
    <span class="grow" />
    <span class="faint small-text wide-only">{plural(props.count, 'event')}</span>
    {props.children}
  </div>
);

const JournalHead = () => (
  <div class="table-row heads journal-head wide-only tiny-text faint ruled" aria-hidden="true">
    <span>seq</span>
    <span class="num">at</span>
    <span>type</span>
    <span>op</span>
    <span>what</span>
    <span class="num">bytes</span>
  </div>
);

const EventRow = (props: {
  readonly event: RunEvent;
  readonly index: number;
  readonly top: number;
  /** The time of the first event. */
  readonly start: number;
  readonly cut: Parameters<typeof sizeOf>[1];
  readonly isChosen: boolean;
}) => {
  const { event } = props;
  return (
    <div
      role="row"
      style={{ top: `${props.top}px` }}
      aria-rowindex={props.index + 1}
      aria-selected={props.isChosen}
      class="table-row journal-row choosable"
      onClick={() => select({ kind: 'event', seq: event.seq })}
    >
      <span role="gridcell">{event.seq}</span>
      <span role="gridcell" class="num soft cut wide-only">
        {sinceStart(event.at, props.start)}
      </span>
      <span role="gridcell" class="mono cut">
        {event.type}
      </span>
      <span role="gridcell" class="op cut wide-only">
        {opOf(event)}
      </span>
      <span role="gridcell" class="cut" dir="auto">
        {eventWords(event)}
      </span>
      <span role="gridcell" class="num soft cut wide-only">
        {sizeOf(event, props.cut)}
      </span>
    </div>
  );
};

type WholeEvent = RunEvent | { readonly event: RunEvent };

const wholeOf = (read: WholeEvent): RunEvent =>
  'event' in read && typeof read.event === 'object' ? read.event : (read as RunEvent);

const fieldsOf = (event: RunEvent) => ({
  type: event.type,
  op: opOf(event),
  at: event.at,
  text: `${eventWords(event)} ${JSON.stringify(event)}`,
});

const sizes = new WeakMap<RunEvent, number>();

/** The size of an event in the journal, with the parts that the stream left out. */
function sizeOf(event: RunEvent, cut: readonly (readonly [string, number])[] | undefined): number {
  const known = sizes.get(event) ?? JSON.stringify(event).length;
  sizes.set(event, known);
  return known + (cut ?? []).reduce((sum, [, whole]) => sum + Math.max(0, whole - 4000), 0);
}

function chosenEvent(rows: readonly RunEvent[], { selected, query }: RunTabProps['address']): RunEvent | undefined {
  if (selected?.kind === 'event') return rows.find(({ seq }) => seq === selected.seq) ?? rows[0];
  if (selected?.kind === 'op') return rows.find((event) => opOf(event) === selected.path) ?? rows[0];
  const asked = Number(query['seq'] ?? Number.NaN);
  return rows.find(({ seq }) => seq === asked) ?? rows[0];
}

function rowKeys(run: string, rows: readonly RunEvent[], chosen: RunEvent | undefined): readonly KeyBinding[] {
  const at = rows.findIndex(({ seq }) => seq === chosen?.seq);
  const move = (to: number): void => {
    const next = rows[to];
    if (next !== undefined) select({ kind: 'event', seq: next.seq });
  };
  return [
    ...listKeys({ at, length: rows.length, row: 'event', move }),
    {
      keys: 'Enter',
      does: 'show it in the timeline',
      run: () => {
        const path = chosen === undefined ? undefined : opOf(chosen);
        if (path === undefined) return false;
        go(opHref(run, path));
        return true;
      },
    },
  ];
}

interface OneEventProps {
  readonly event: RunEvent;
  readonly run: string;
  readonly isCut: boolean;
}

const OneEvent = ({ event, run, isCut }: OneEventProps) => {
  const [copied, setCopied] = useState(false);
  // Without it, what the stream gave stays.
  const { value: read } = useRead<WholeEvent>(isCut ? `/api/runs/${run}/events/${event.seq}` : undefined);
  const whole = read === undefined ? undefined : wholeOf(read);
  const path = opOf(event);
  return (
    <aside class="side" aria-label={`Event ${event.seq}`}>
      <PanelHead title={`Event ${event.seq}`} aside={<span class="tag">{event.type}</span>}>
        <p class="faint small-text">{TYPE_WORDS[event.type]}</p>
      </PanelHead>
      <div class="panel-body">
        {isCut && whole === undefined && <p class="faint">Its long texts are on their way.</p>}
        <JsonText value={whole ?? event} />
        <p class="faint">{bytes(JSON.stringify(whole ?? event).length)}</p>
      </div>
      <div class="panel-foot">
        {path !== undefined && (
          <LinkButton href={opHref(run, path)} keys="Enter">
            Show in the timeline
          </LinkButton>
        )}
        <Button icon="copy" onPress={() => void copyText(JSON.stringify(whole ?? event, null, 2)).then(setCopied)}>
          {copied ? 'Copied' : 'Copy'}
        </Button>
      </div>
    </aside>
  );
};
