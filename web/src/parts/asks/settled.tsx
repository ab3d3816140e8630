// The fate of a question: the person who decided it, the time, and the result of the call. It stands where the question
// stood.

import type { RunEvent } from '../../../../src/journal/event.ts';
import { personWord } from '../../../../src/kernel/person-words.ts';
import { verdictWord } from '../../../../src/kernel/verdict-words.ts';
import { duration } from '../../../../src/views/amounts.ts';
import { opHref } from '../../app/addresses.ts';
import type { AskedAt, AskedState } from '../../data/asked.ts';
import type { RunData } from '../../data/run-data.ts';
import { yourNames } from '../../data/you.ts';
import { Button, Key, LinkButton } from '../controls.tsx';
import { Chip, lookOf } from '../state.tsx';
import { Moment } from '../times.tsx';

export const decidedBy = (by: string | undefined): string =>
  by === undefined ? '' : ` by ${personWord(by, yourNames())}`;

export const SettledChip = ({ state }: { readonly state: AskedState }) => {
  if (state.kind === 'over') return <Chip state="cancelled" word="not answered" />;
  if (state.kind !== 'decided') return null;
  const { verdict } = state;
  return <Chip state={verdict.approved ? 'ok' : 'denied'} word={`${verdictWord(verdict)}${decidedBy(verdict.by)}`} />;
};

export const SettledWords = ({ state, data }: { readonly state: AskedState; readonly data: RunData }) => {
  if (state.kind === 'over')
    return <p class="asks-came small-text soft breaks">{overWords(data)} before it was answered.</p>;
  if (state.kind === 'gone')
    return (
      <p class="asks-came small-text soft breaks">
        Nothing waits here. The run has no such question, or does not ask it any more.
      </p>
    );
  if (state.kind !== 'decided') return null;
  const { asked, verdict, decidedAt } = state;
  const said = verdict.answer ?? verdict.note;
  return (
    <div class="asks-came small-text soft breaks">
      <p>
        {decidedAt === undefined ? (
          'No process works on the run: it takes the answer first when it goes on.'
        ) : (
          <>
            <Moment at={decidedAt} />, after {duration(decidedAt - asked.at)}. {cameWords(state, data)}
          </>
        )}
      </p>
      {said !== undefined && <p dir="auto">“{said}”</p>}
    </div>
  );
};

/** Off, and in the place where the answer was given. */
export const SettledButtons = ({ at, state }: { readonly at: AskedAt; readonly state: AskedState }) => {
  if (state.kind === 'loading') return null;
  const isYes = state.kind === 'decided' && state.verdict.approved;
  const word = state.kind !== 'decided' ? 'Over' : capital(verdictWord(state.verdict));
  return (
    <div class="do stack gaps small-text">
      {state.kind !== 'gone' && (
        <div class="btns line gaps">
          <Button icon={isYes ? 'answered' : 'failed'} off="This one is decided." onPress={() => undefined}>
            {word}
          </Button>
          <LinkButton href={opHref(at.run, at.path)}>Open the run</LinkButton>
        </div>
      )}
      {state.kind === 'decided' && (
        <p class="small-print tiny-text soft breaks">
          <Key keys="mod+Enter" /> does nothing here: this one is decided. The next one is not chosen for you.
        </p>
      )}
    </div>
  );
};

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

const endOf = ({ extent }: RunData): RunEvent | undefined => {
  const { events, count } = extent.value;
  return events.slice(0, count).findLast(({ type }) => type === 'run-end');
};

/** `Done; the run goes on.` */
function cameWords({ verdict, call }: AskedState & { kind: 'decided' }, data: RunData): string {
  const end = endOf(data);
  const ran = end?.type === 'run-end' ? `the run ${lookOf(end.outcome.kind).word}` : 'the run goes on';
  const made =
    verdict.answer !== undefined || !verdict.approved
      ? undefined
      : call === undefined
        ? 'not made'
        : call.state === 'running'
          ? 'under way'
          : call.state;
  return `${capital([made, ran].filter((part) => part !== undefined).join('; '))}.`;
}

function overWords(data: RunData): string {
  const end = endOf(data);
  const isCancelled = end === undefined || (end.type === 'run-end' && end.outcome.kind === 'cancelled');
  return isCancelled ? 'Cancelled' : `The run ${end.type === 'run-end' ? lookOf(end.outcome.kind).word : 'ended'}`;
}
