// The rows of the list of runs: a day, a run or conversation, a message of one.

import type { RunRow } from '../../../../src/server/protocol.ts';
import { costText, countText, dayAndTime, duration, plural, tokens } from '../../../../src/views/amounts.ts';
import { askedWords } from '../../../../src/views/asking/asked-words.ts';
import { folderName } from '../../../../src/views/runs/filtered-run.ts';
import { runStanding, standingWord } from '../../../../src/views/runs/run-standing.ts';
import { chatHref, runHref } from '../../app/addresses.ts';
import { go } from '../../app/router.ts';
import { approvals } from '../../data/approvals.ts';
import { serverNow } from '../../data/clock.ts';
import type { SpentDays } from '../../data/run-counts.ts';
import { Icon } from '../../parts/icon.tsx';
import { familyOf, StateWord } from '../../parts/state.tsx';
import { Lasting, TimeOfDay } from '../../parts/times.tsx';
import { dayInWords, weekdayOf } from './days.ts';
import { figuresOf, type ListRow, noteOf, tokensOf } from './run-rows.ts';

interface ListRowProps {
  readonly of: ListRow;
  readonly index: number;
  readonly top: number;
  readonly focused: boolean;
  /** True if it is to be compared with another one. */
  readonly marked: boolean;
  readonly withFolder: boolean;
  readonly days: SpentDays | undefined;
  readonly onFocus: (key: string) => void;
  /** Opens or closes a conversation. */
  readonly onToggle: (thread: string) => void;
}

export const RowOfList = (props: ListRowProps) => {
  const { of, index, top } = props;
  const place = { style: { top: `${top}px` }, role: 'row', 'aria-rowindex': index + 1 } as const;
  switch (of.kind) {
    case 'day':
      return (
        <div class="runs-day gaps-10 line small-text faint nowrap ground ruled" {...place}>
          <DayHead day={of.day} days={props.days} />
        </div>
      );
    case 'earlier':
      return (
        <div class="table-row runs-row inner ground ruled" {...place}>
          <span role="gridcell" class="runs-earlier">
            <a class="link" href={chatHref(of.thread)} tabIndex={-1}>
              {plural(of.count, 'earlier message')}
            </a>
          </span>
        </div>
      );
    default: {
      const { row, key } = of;
      const looks = ['table-row runs-row choosable ruled', of.kind === 'message' ? 'inner' : ''];
      return (
        <div
          class={looks.join(' ')}
          {...place}
          aria-selected={props.focused}
          onClick={() => props.onFocus(key)}
          onDblClick={() => go(hrefOfRow(of))}
        >
          <Cells {...props} of={of} row={row} />
        </div>
      );
    }
  }
};

/** A conversation is opened as a chat, a single run as itself. */
export const hrefOfRow = (of: Extract<ListRow, { readonly row: RunRow }>): string =>
  of.kind === 'run' && of.key !== of.row.run ? chatHref(of.key) : runHref(of.row.run);

const DayHead = ({ day, days }: { readonly day: string; readonly days: SpentDays | undefined }) => {
  const isToday = day === dayAndTime(serverNow()).slice(0, 10);
  // Hours are those of one day.
  const own = days?.isOfOneDay === true ? days.total : days?.rows.find((row) => row.day === day);
  return (
    <>
      <span role="gridcell">
        <strong>{isToday ? 'Today' : weekdayOf(day)}</strong>
        {dayInWords(day).slice(0, -' 2026'.length)}
        <span class="wide-only"> {day.slice(0, 4)}</span>
      </span>
      <span role="gridcell" class="num">
        {own === undefined ? '–' : `${countText(own.runs)} ${own.runs === 1 ? 'run' : 'runs'}`}
      </span>
      <span role="gridcell" class="num bad-words">
        {own !== undefined && own.notAnswered > 0 && `${countText(own.notAnswered)} not answered`}
      </span>
      <span role="gridcell" class="num">
        {own === undefined ? '–' : costText(own)}
      </span>
    </>
  );
};

interface CellsProps extends ListRowProps {
  readonly of: Extract<ListRow, { readonly row: RunRow }>;
  readonly row: RunRow;
}

const Cells = (props: CellsProps) => {
  const { of, row } = props;
  const messages = of.kind === 'message' ? undefined : row.messages;
  return (
    <>
      <span role="gridcell">
        <Standing of={runStanding(row)} isChat={messages !== undefined} />
      </span>
      <AgentCell {...props} />
      <span role="gridcell" class="runs-asked line gaps-12">
        <span class="runs-text cut" dir="auto">
          {messages?.asked ?? row.input.text}
        </span>
        <Note row={row} />
        <MarkIcons notes={row.notes ?? []} />
        {messages !== undefined && of.kind === 'run' && (
          <MessagesButton count={messages.runs} isOpen={of.isOpen} onPress={() => props.onToggle(of.key)} />
        )}
      </span>
      <FigureCells row={row} ms={messages?.ms} figures={of.kind === 'message' ? row : figuresOf(row)} />
    </>
  );
};

const AgentCell = ({ of, row, focused, marked, withFolder }: CellsProps) => {
  const isMessage = of.kind === 'message';
  return (
    <span role="gridcell" class="runs-agent">
      <a
        class="strong"
        href={hrefOfRow(of)}
        tabIndex={focused ? 0 : -1}
        title={row.agent}
        aria-label={isMessage ? `message to ${row.agent}` : undefined}
      >
        {!isMessage && row.agent}
      </a>
      {withFolder && !isMessage && (
        <small class="tiny-text faint wide-only">{folderName(row.folder, row.prefix)}</small>
      )}
      {marked && <span class="tag">marked</span>}
    </span>
  );
};

interface FiguresProps {
  readonly row: RunRow;
  /** The time of all messages of a conversation. */
  readonly ms: number | undefined;
  readonly figures: ReturnType<typeof figuresOf>;
}

const FigureCells = ({ row, ms, figures }: FiguresProps) => (
  <>
    {[
      <TimeOfDay key="began" at={row.startedAt} />,
      <TimeTaken key="time" row={row} ms={ms} />,
      figures.calls,
      tokens(tokensOf(figures)),
      costText(figures),
    ].map((figure, index) => (
      <span key={index} role="gridcell" class="num">
        {figure}
      </span>
    ))}
  </>
);

const Standing = ({ of, isChat }: { readonly of: ReturnType<typeof runStanding>; readonly isChat: boolean }) =>
  isChat ? (
    <span class={`state s-${familyOf(of)}`}>
      <Icon name="chat" />
      {standingWord(of)}
    </span>
  ) : (
    <StateWord state={of} />
  );

const MessagesButton = (props: { readonly count: number; readonly isOpen: boolean; readonly onPress: () => void }) => (
  <button
    type="button"
    class="line gaps-6 runs-messages tiny-text soft paper"
    aria-expanded={props.isOpen}
    tabIndex={-1}
    onClick={props.onPress}
  >
    {plural(props.count, 'message')}
    <span aria-hidden="true">{props.isOpen ? '▾' : '▸'}</span>
  </button>
);

const Note = ({ row }: { readonly row: RunRow }) => {
  const asks = row.waiting > 0 ? approvals.value.find(({ run }) => run === row.run) : undefined;
  const note = noteOf(row, asks === undefined ? undefined : askedWords(asks));
  if (note === undefined) return null;
  return (
    <span class={`runs-note cut wide-only ${note.kind} s-${familyOf(runStanding(row))}`} dir="auto" title={note.text}>
      {note.kind === 'warn' && <Icon name="warn" />}
      {note.kind === 'refused' && <Icon name="refused" />}
      {note.kind === 'fork' && <Icon name="fork" />}
      {note.text}
    </span>
  );
};

/** `ms`: of all messages of a conversation. */
const TimeTaken = ({ row, ms }: { readonly row: RunRow; readonly ms: number | undefined }) => {
  const { state, startedAt, endedAt } = row;
  if (ms !== undefined && state !== 'running') return <>{duration(ms)}</>;
  if (state === 'broken-off') return <>–</>;
  return <Lasting from={startedAt} to={endedAt} />;
};

/** The marks of people, each mark once. */
export const MarkIcons = ({ notes }: { readonly notes: NonNullable<RunRow['notes']> }) => (
  <>
    {(['good', 'bad'] as const).map((mark) => {
      const own = notes.filter((note) => note.mark === mark);
      if (own.length === 0) return null;
      const words = own.map(({ by, text }) => `${mark}, by ${by}${text === undefined ? '' : `: ${text}`}`).join('\n');
      return (
        <span key={mark} class={`mark s-${mark === 'bad' ? 'bad' : 'good'}`} title={words}>
          <Icon name={mark} />
          <span class="sr">{words}</span>
        </span>
      );
    })}
  </>
);
