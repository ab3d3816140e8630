// A team as a conversation: what was said, who heard it when, in which cycle. Beside it the seats, and what each knew.

import { useEffect, useMemo, useRef } from 'preact/hooks';
import { type AnsweredOutcome, isAnswered } from '../../../../src/kernel/outcome.ts';
import { type TeamEntry, type TeamTalk, TeamTalkFold } from '../../../../src/views/talk/team-talk.ts';
import { runHref } from '../../app/addresses.ts';
import { type KeyBinding, useKeys } from '../../app/keys.ts';
import { listKeys } from '../../app/list-keys.ts';
import { go, select, setQuery } from '../../app/router.ts';
import { Choices } from '../../parts/controls.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { Empty } from '../../parts/panel.tsx';
import { seconds } from '../../parts/times.tsx';
import type { RunTabProps } from '../run/tabs.ts';
import { type Between, betweenAt, heardAt, type TeamFacts, thenWords } from './hearing.ts';
import { TeamSide } from './side.tsx';
import './team.css';

export const TeamTab = ({ data, address, ask }: RunTabProps) => {
  const teams = useMemo(
    () =>
      data.view(
        () => new TeamTalkFold(),
        (fold) => fold.teams(),
      ),
    [data],
  );
  const team = teams.value.find(({ channel }) => channel === address.query['channel']) ?? teams.value[0];
  const selected = address.selected?.kind === 'op' ? address.selected.path : undefined;
  const chosen = team?.entries.find(({ op }) => op === selected) ?? team?.entries.at(-1);
  const table = useRef<HTMLTableElement>(null);
  // The journal arrives in slices: the row comes with one, and rows above it grow until the last.
  useEffect(() => {
    if (selected !== undefined && chosen?.op === selected)
      table.current?.querySelector('.chosen')?.scrollIntoView({ block: 'nearest' });
  }, [selected, chosen?.op, data.extent.value.settled]);
  useKeys(useMemo(() => entryKeys(data.run, team?.entries ?? [], chosen), [team, chosen]));
  if (team === undefined)
    return (
      <Empty part title="Nothing was said in a team">
        <p>A run of an agent with team: shows its broadcasts here.</p>
      </Empty>
    );
  const { facts, report, after } = factsOf(data);
  return (
    <div class="split">
      <div class="pane">
        <WhichTeam teams={teams.value} channel={team.channel} />
        <h2 class="sr">Team of {team.team}</h2>
        <div class="fills scrolls paper" tabIndex={0} role="region" aria-label="Broadcasts">
          <table class="team tab" ref={table}>
            <SeatHeads team={team} />
            <Broadcasts team={team} facts={facts} chosen={chosen} />
          </table>
          {report !== undefined && <Report of={report} after={seconds(after)} />}
        </div>
      </div>
      <TeamSide data={data} team={team} chosen={chosen} facts={facts} onFork={() => ask('fork')} />
    </div>
  );
};

/** The report is the answer of the run, so many milliseconds `after` its start. */
function factsOf({ extent, ledger }: RunTabProps['data']) {
  const { events, count } = extent.value;
  const [begin, end] = [events[0], events[count - 1]];
  const report = end?.type === 'run-end' && isAnswered(end.outcome) ? end.outcome : undefined;
  const start = begin?.at ?? 0;
  const asked = begin?.type === 'run-start' ? begin.input.text : '';
  const facts: TeamFacts = { start, asked, lines: ledger.value.lines, isReported: report !== undefined };
  return { facts, report, after: (end?.at ?? start) - start };
}

const WhichTeam = ({ teams, channel }: { readonly teams: readonly TeamTalk[]; readonly channel: string }) =>
  teams.length < 2 ? null : (
    <div class="bar">
      <Choices
        label="Which team"
        chosen={channel}
        of={teams.map((one) => ({
          value: one.channel,
          name: `${one.team} ${one.channel}`,
          count: one.entries.length,
        }))}
        onChoose={(to) => setQuery({ channel: to })}
      />
    </div>
  );

const SeatHeads = ({ team }: { readonly team: TeamTalk }) => (
  <thead>
    <tr>
      <th>no.</th>
      <th class="num">said</th>
      <th>broadcast</th>
      {team.participants.map(({ id }) => (
        <th key={id} class="team-seat">
          {id}
          <small>heard at</small>
        </th>
      ))}
    </tr>
  </thead>
);

interface BroadcastsProps {
  readonly team: TeamTalk;
  readonly facts: TeamFacts;
  readonly chosen: TeamEntry | undefined;
}

const Broadcasts = ({ team, facts, chosen }: BroadcastsProps) => (
  <tbody>
    {team.entries.map((entry, index) => (
      <Rows key={entry.op} at={index} team={team} facts={facts} isChosen={entry === chosen} />
    ))}
    {betweenAt(team, team.entries.length, facts).map((between) => (
      <BetweenRow key={between.key} of={between} columns={3 + team.participants.length} />
    ))}
  </tbody>
);

const Report = ({ of, after }: { readonly of: AnsweredOutcome; readonly after: string }) => (
  <section class="team-report" aria-label="Final report">
    <h3 class="line gaps small-text">
      <Icon name="answered" />
      Final report <span class="faint">of {of.agent}</span>
      <span class="grow" />
      <span class="faint">+{after}</span>
    </h3>
    <Markdown text={of.text} />
  </section>
);

function entryKeys(run: string, entries: readonly TeamEntry[], chosen: TeamEntry | undefined): readonly KeyBinding[] {
  const at = chosen === undefined ? -1 : entries.indexOf(chosen);
  const move = (to: number): void => {
    const next = entries[to];
    if (next !== undefined) select({ kind: 'op', path: next.op });
  };
  return [
    ...listKeys({ at, length: entries.length, row: 'broadcast', move }),
    {
      keys: 'Enter',
      does: 'conversation of who said it',
      run: () => {
        if (chosen?.session === undefined) return false;
        go(runHref(run, 'conversation', { query: { session: chosen.session } }));
        return true;
      },
    },
  ];
}

interface RowProps {
  readonly at: number;
  readonly team: TeamTalk;
  readonly facts: TeamFacts;
  readonly isChosen: boolean;
}

const Rows = ({ at, team, facts, isChosen }: RowProps) => {
  const columns = 3 + team.participants.length;
  const entry = team.entries[at];
  if (entry === undefined) return null;
  const isNotice = entry.role === 'notice';
  return (
    <>
      {betweenAt(team, at, facts).map((between) => (
        <BetweenRow key={between.key} of={between} columns={columns} />
      ))}
      <tr
        class={['team-row choosable', isChosen ? 'chosen' : '', isNotice ? 'thin' : ''].join(' ')}
        aria-selected={isChosen}
        onClick={() => select({ kind: 'op', path: entry.op })}
      >
        <td class="faint">#{entry.number}</td>
        <td class="num faint">{seconds(entry.timestamp - facts.start)}</td>
        <td>
          <Said of={entry} />
        </td>
        {team.participants.map(({ id }) => (
          <td key={id} class="team-heard num soft">
            {heardAt(entry, id, facts.start)}
          </td>
        ))}
      </tr>
    </>
  );
};

const Said = ({ of }: { readonly of: TeamEntry }) => {
  if (of.role === 'notice')
    return (
      <span class="line gaps soft" dir="auto">
        <Icon name="left" />
        {of.message.replace(/^member (.*?) and is no longer reachable\.$/, '$1')}
      </span>
    );
  const isSupervisor = of.role === 'supervisor';
  return (
    <>
      <p class="line gaps wraps">
        <strong>{of.memberId}</strong>
        {isSupervisor && <span class="tag edge e-team">supervisor</span>}
        <span class="faint">turn {of.turnCount}</span>
        <span class="faint">{isSupervisor ? `opens cycle ${of.cycle}` : thenWords(of.then)}</span>
      </p>
      <p class="pre breaks" dir="auto">
        {of.message}
      </p>
    </>
  );
};

const BetweenRow = ({ of, columns }: { readonly of: Between; readonly columns: number }) => (
  <tr class="team-between ground soft">
    <td colSpan={columns} dir="auto">
      {of.kind === 'cycle' ? (
        <>
          <strong>Cycle {of.cycle}</strong> members work on{of.on.startsWith('#') ? ' ' : ': '}
          {of.on}
        </>
      ) : (
        <>
          <strong>{of.who}</strong> {of.words}
        </>
      )}
    </td>
  </tr>
);
