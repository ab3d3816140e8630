// The live tree: what each session does now and the total so far, as lines for a screen of a given size. Pure: the same
// progress, size and moment give the same lines. Where there are more sessions than rows, those at work come first, and
// the rest is counted.

import * as amounts from '../../views/amounts.ts';
import type { Totals } from '../../views/costs/totals.ts';
import { tallyWords } from '../../views/progress/call-tally.ts';
import { doingNow, mostTelling } from '../../views/progress/doing-now.ts';
import type { Activity, Progress, SessionProgress } from '../../views/progress/progress.ts';
import { countSessions, countWords } from '../../views/progress/session-counts.ts';
import type { Paint, TextTone } from '../screen/terminal.ts';
import { beginning, cutToWidth, fitText, oneLine, widestOf, widthOf, wrap } from './width.ts';

export interface Screen {
  readonly columns: number;
  /** Rows that may be used. */
  readonly rows: number;
  readonly now: number;
  readonly paint: Paint;
  /** Rows of what is being written, if not the usual few. */
  readonly writing?: number;
  /** The most turns of a session, if known. */
  maxTurns(session: SessionProgress): number | undefined;
}

/** The most lines that are shown of what the model is writing. */
const TAIL_ROWS = 4;
/** The last picture leaves room for the answer below it. */
const LAST_ROWS = 12;

export function liveTree(progress: Progress, screen: Screen): readonly string[] {
  const over = progress.outcome !== undefined;
  const tail = over ? [] : writing(progress, screen);
  const total = over ? [] : [totalLine(progress, screen)];
  const free = screen.rows - tail.length - total.length;
  const room = Math.max(1, Math.min(free, over ? LAST_ROWS : screen.rows));
  const fits = progress.sessions.length <= room;
  // One row is kept for the count of the others.
  const shown = fits ? progress.sessions : mostTelling(progress.sessions, Math.max(1, room - 1));
  const nameWidth = Math.min(
    MOST_NAME,
    widestOf(shown, (one) => indentOf(one) + widthOf(nameOf(one))),
  );
  const lines = shown.map((session) => sessionLine(session, nameWidth, screen));
  const hidden = progress.sessions.length - shown.length;
  if (hidden > 0) lines.push(screen.paint('faint', cutToWidth(hiddenLine(progress.sessions, shown), screen.columns)));
  return [...lines, ...total, ...tail];
}

function hiddenLine(all: readonly SessionProgress[], shown: readonly SessionProgress[]): string {
  const hidden = all.filter((session) => !shown.includes(session));
  return `  … ${amounts.plural(hidden.length, 'more session')}: ${statesIn(hidden)}`;
}

const statesIn = (sessions: readonly SessionProgress[]): string => countWords(countSessions(sessions)).join(', ');

const MOST_INDENT = 12;
const MOST_NAME = 30;

/** A spawned run also goes by its label, because many may have the same agent. */
const nameOf = ({ agent, label, place, case: taken }: SessionProgress): string =>
  oneLine([agent, label, place, taken === undefined ? undefined : `(case ${taken})`].filter(Boolean).join(' '));

const indentOf = ({ depth }: SessionProgress): number => Math.min(MOST_INDENT, depth * 2);

/** A row, indented by depth: mark, name and what the session does, with its figures at the right. */
function sessionLine(session: SessionProgress, nameWidth: number, screen: Screen): string {
  const { paint, columns } = screen;
  const facts = factsOf(session, screen);
  const indent = indentOf(session);
  const room = columns - widthOf(facts) - (facts === '' ? 0 : 1);
  const { mark, tone } = markOf(session.activity, screen.now);
  const name = fitText(nameOf(session), Math.max(4, Math.min(nameWidth, Math.floor(room / 2)) - indent));
  const rest = room - indent - 2 - widthOf(name) - 2;
  const doing = fitText(oneLine(doingNow(session)) + taskOf(session), Math.max(0, rest));
  const toned = session.activity.kind === 'failed' ? paint('error', doing) : paint('faint', doing);
  return `${' '.repeat(indent)}${paint(tone, mark)} ${paint('strong', name)}  ${toned} ${paint('faint', facts)}`.trimEnd();
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

function markOf(activity: Activity, now: number): { readonly mark: string; readonly tone: TextTone } {
  switch (activity.kind) {
    case 'done':
      return activity.waits !== undefined ? { mark: '·', tone: 'faint' } : { mark: '✓', tone: 'good' };
    case 'failed':
      return { mark: '✗', tone: 'error' };
    case 'waiting':
      return activity.for === 'person' ? { mark: '?', tone: 'warning' } : { mark: '·', tone: 'faint' };
    case 'thinking':
    case 'calling':
      return { mark: FRAMES[Math.floor(now / 100) % FRAMES.length] ?? '', tone: 'name' };
  }
}

/** The task of a session, while it works. */
const taskOf = ({ activity, task }: SessionProgress): string =>
  task === undefined || activity.kind === 'done' || activity.kind === 'failed' ? '' : ` · ${beginning(task)}`;

/** Turn, tokens, cost and time, right-aligned in columns of their own; fewer of them on a narrow screen. */
function factsOf(session: SessionProgress, { columns, now, maxTurns }: Screen): string {
  const most = maxTurns(session);
  const turn = session.turn === 0 ? '' : `turn ${session.turn}${most === undefined ? '' : `/${most}`}`;
  const { startedAt, endedAt } = session;
  const time = endedAt === undefined ? amounts.clock(now - startedAt) : amounts.duration(endedAt - startedAt);
  return factColumns(turn, session.totals, time, columns);
}

function factColumns(first: string, totals: Totals, time: string, columns: number): string {
  const facts = [fitText(first, 10, 'right')];
  if (columns >= 64) facts.push(fitText(tokensOf(totals), 8, 'right'));
  if (columns >= 76) facts.push(fitText(costOf(totals), 9, 'right'));
  facts.push(fitText(time, 6, 'right'));
  return columns < 40 ? '' : facts.join(' ');
}

/** The sums of the whole run so far, in the same columns. */
function totalLine({ sessions, totals, calls, startedAt }: Progress, { columns, now, paint }: Screen): string {
  const facts = factColumns(amounts.plural(totals.calls, 'call'), totals, amounts.clock(now - startedAt), columns);
  const room = columns - widthOf(facts) - (facts === '' ? 0 : 1);
  const words = cutToWidth(`  total  ${[statesIn(sessions), ...tallyWords(calls)].join(', ')}`, room);
  return paint('faint', `${fitText(words, room)} ${facts}`.trimEnd());
}

const tokensOf = ({ input, output }: Totals): string =>
  input + output === 0 ? '' : `${amounts.tokens(input + output)} tok`;

const costOf = ({ usd, calls, unpriced }: Totals): string =>
  calls === 0 ? '' : usd === undefined ? '$?' : `${unpriced > 0 ? '≥' : ''}${amounts.usd(usd)}`;

/** The end of what the session nearest to the answer is writing. */
function writing(
  { sessions }: Progress,
  { columns, rows, paint, writing: most = TAIL_ROWS }: Screen,
): readonly string[] {
  const writers = sessions.filter(({ activity, snippet }) => activity.kind === 'thinking' && snippet.trim() !== '');
  const nearest = writers.reduce<SessionProgress | undefined>(
    (best, one) => (best === undefined || one.depth <= best.depth ? one : best),
    undefined,
  );
  if (nearest === undefined || rows < 4) return [];
  const lines = wrap(nearest.snippet, columns - 4).filter((line) => line.trim() !== '');
  return ['', ...lines.slice(-most).map((line) => `  ${paint('faint', '│')} ${line}`)].slice(0, rows - 2);
}
