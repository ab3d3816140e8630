// The conversations of a run: every session as it nests, with its entries.

import type { RunStart } from '../../src/journal/event.ts';
import { plural } from '../../src/views/amounts.ts';
import { sum } from '../../src/views/costs/totals.ts';
import type { ProvenanceFold } from '../../src/views/talk/provenance.ts';
import type { RecordedRun } from '../src/data/recorded-run.ts';
import { TriggerTag } from '../src/parts/state.tsx';
import { TalkEntries } from '../src/screens/conversation/entries.tsx';
import { costText } from '../src/screens/run/run-facts.ts';
import type { DrawnTalk } from './drawn-talks.ts';
import { More } from './more.tsx';
import { placeOf } from './still.ts';

interface Props {
  readonly data: RecordedRun;
  readonly start: RunStart;
  readonly talks: readonly DrawnTalk[];
  readonly provenance: ProvenanceFold;
}

export const Conversations = (props: Props) => (
  <More title={`Conversation, ${plural(props.talks.length, 'session')}`}>
    {props.talks.map((one) => (
      <Session key={one.row.session} {...props} one={one} />
    ))}
  </More>
);

const Session = ({ one, data, start, provenance }: Props & { readonly one: DrawnTalk }) => {
  const { row, shown, count } = one;
  const { talk, session } = row;
  const own = data.ledger.value.lines.filter((line) => line.session === session);
  return (
    <details class="ex-session" id={placeOf(session)}>
      <summary>
        <strong>
          <bdi>{row.agent}</bdi>
        </strong>{' '}
        {talk !== undefined && talk.trigger !== 'start' && <TriggerTag trigger={talk.trigger} />}{' '}
        <span class="faint">
          {row.place !== undefined && `${row.place}, `}
          {plural(talk?.entries.at(-1)?.turn ?? 0, 'turn')}, {costText(sum(own))}
        </span>
      </summary>
      {talk === undefined ? (
        <p class="faint">Nothing has been said in it.</p>
      ) : (
        <TalkEntries of={{ talk, data, start, provenance }} shown={shown} range={{ from: 0, to: count }} />
      )}
    </details>
  );
};
