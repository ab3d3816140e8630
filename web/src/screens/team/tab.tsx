// A team as a conversation: what was said, who heard it when, in which cycle, and what each knew.

import { useMemo } from 'preact/hooks';
import { isAnswered } from '../../../../src/kernel/outcome.ts';
import { type TeamEntry, type TeamTalk, teamTalkFold } from '../../../../src/views/talk/team-talk.ts';
import { opHref, runHref } from '../../app/addresses.ts';
import { type KeyBinding, useKeys } from '../../app/keys.ts';
import { select, setQuery } from '../../app/router.ts';
import { Choices, LinkButton } from '../../parts/controls.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { Empty, Section } from '../../parts/panel.tsx';
import { seconds } from '../../parts/times.tsx';
import type { RunTabProps } from '../run/tabs.ts';
import { heardAt, knownBefore, thenWords } from './hearing.ts';
import './team.css';

export const TeamTab = ({ data, address }: RunTabProps) => {
  const teams = useMemo(() => data.view(teamTalkFold, (fold) => fold.teams()), [data]);
  const team = teams.value.find(({ channel }) => channel === address.query['channel']) ?? teams.value[0];
  const start = data.events[0]?.at ?? 0;
  const selected = address.selected?.kind === 'op' ? address.selected.path : undefined;
  const chosen = team?.entries.find(({ op }) => op === selected) ?? team?.entries.at(-1);
  useKeys(useMemo(() => entryKeys(team?.entries ?? [], chosen), [team, chosen]));
  if (team === undefined)
    return (
      <Empty title="Nothing was said in a team">
        <p>A run of an agent with team: shows its broadcasts here.</p>
      </Empty>
    );
  const end = data.events.at(-1);
  const report = end?.type === 'run-end' && isAnswered(end.outcome) ? end.outcome : undefined;
  return (
    <div class="split">
      <div class="pane">
        {teams.value.length > 1 && (
          <div class="bar">
            <Choices
              label="Which team"
              chosen={team.channel}
              of={teams.value.map((one) => ({
                value: one.channel,
                name: `${one.team} ${one.channel}`,
                count: one.entries.length,
              }))}
              onChoose={(channel) => setQuery({ channel })}
            />
          </div>
        )}
        <h2 class="sr">Team of {team.team}</h2>
        <div class="team-scroll" tabIndex={0} role="region" aria-label="Broadcasts">
          <table class="team">
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
            <tbody>
              {team.entries.map((entry, index) => (
                <Rows
                  key={entry.op}
                  entry={entry}
                  before={team.entries[index - 1]}
                  team={team}
                  start={start}
                  isChosen={entry === chosen}
                />
              ))}
            </tbody>
          </table>
          {report !== undefined && (
            <section class="team-report" aria-label="Final report">
              <h3>
                <Icon name="answered" />
                Final report <span class="faint">of {report.agent}</span>
                <span class="grow" />
                <span class="faint">+{seconds((end?.at ?? start) - start)}</span>
              </h3>
              <Markdown text={report.text} />
            </section>
          )}
        </div>
      </div>
      <aside class="side" aria-label="The team">
        <div class="panel-body">
          <Section title="The team">
            <ul class="team-seats">
              {team.participants.map(({ id, role, session }) => (
                <li key={id}>
                  <strong>{id}</strong>
                  <span class="faint">{role}</span>
                  <a class="link" href={runHref(data.run, 'conversation', { query: { session } })}>
                    Conversation
                  </a>
                  <span class="faint">{team.entries.filter(({ memberId }) => memberId === id).length} said</span>
                </li>
              ))}
            </ul>
          </Section>
          {chosen !== undefined && <Knew entry={chosen} team={team} start={start} />}
        </div>
        {chosen !== undefined && (
          <div class="panel-foot">
            <LinkButton href={opHref(data.run, chosen.op)}>Show in the timeline</LinkButton>
          </div>
        )}
      </aside>
    </div>
  );
};

function entryKeys(entries: readonly TeamEntry[], chosen: TeamEntry | undefined): readonly KeyBinding[] {
  const at = chosen === undefined ? -1 : entries.indexOf(chosen);
  const move = (to: number): void => {
    const next = entries[Math.max(0, Math.min(entries.length - 1, to))];
    if (next !== undefined) select({ kind: 'op', path: next.op });
  };
  return [
    { keys: 'ArrowDown|j', does: 'next broadcast', run: () => move(at + 1) },
    { keys: 'ArrowUp|k', does: 'the broadcast before', run: () => move(at - 1) },
  ];
}

interface RowProps {
  readonly entry: TeamEntry;
  readonly before: TeamEntry | undefined;
  readonly team: TeamTalk;
  readonly start: number;
  readonly isChosen: boolean;
}

const Rows = ({ entry, before, team, start, isChosen }: RowProps) => {
  const columns = 3 + team.participants.length;
  const hearing = team.hearings.find(({ numbers }) => numbers[0] !== undefined && before?.number === numbers.at(-1));
  return (
    <>
      {hearing !== undefined && (
        <tr class="team-between">
          <td colSpan={columns}>
            <strong>{team.participants[0]?.id}</strong> hears #{hearing.numbers[0]} to #{hearing.numbers.at(-1)} at{' '}
            {seconds(hearing.at - start)}
          </td>
        </tr>
      )}
      {entry.role !== 'supervisor' && (entry.cycle !== before?.cycle || before?.role === 'supervisor') && (
        <tr class="team-between">
          <td colSpan={columns}>
            <strong>Cycle {entry.cycle}</strong>
          </td>
        </tr>
      )}
      <tr
        class={isChosen ? 'team-row chosen' : 'team-row'}
        aria-selected={isChosen}
        onClick={() => select({ kind: 'op', path: entry.op })}
      >
        <td class="faint">#{entry.number}</td>
        <td class="num faint">{seconds(entry.timestamp - start)}</td>
        <td>
          {entry.role === 'notice' ? (
            <span class="team-notice">
              <Icon name="left" />
              {entry.message}
            </span>
          ) : (
            <>
              <p>
                <strong>{entry.memberId}</strong> <span class="faint">turn {entry.turnCount}</span>{' '}
                {entry.role === 'supervisor' ? (
                  <span class="tag edge e-team">supervisor</span>
                ) : (
                  <span class="faint">{thenWords(entry.then)}</span>
                )}
              </p>
              <p class="team-said">{entry.message}</p>
            </>
          )}
        </td>
        {team.participants.map(({ id }) => (
          <td key={id} class="team-heard">
            {heardAt(entry, id, start)}
          </td>
        ))}
      </tr>
    </>
  );
};

const Knew = ({
  entry,
  team,
  start,
}: {
  readonly entry: TeamEntry;
  readonly team: TeamTalk;
  readonly start: number;
}) => {
  const known = knownBefore(entry, team.entries);
  return (
    <>
      <Section title={`What ${entry.memberId} knew then`} aside={`${known.length} broadcasts of others`}>
        {known.length === 0 ? (
          <p class="faint">Nothing of the others.</p>
        ) : (
          <ul class="team-known">
            {known.map((one) => (
              <li key={one.op}>
                #{one.number} <strong>{one.memberId}</strong> {one.message}
              </li>
            ))}
          </ul>
        )}
      </Section>
      <Section title="Reached">
        {entry.heard.length === 0 ? (
          <p class="faint">Nobody has heard it.</p>
        ) : (
          <ul class="team-known">
            {entry.heard.map(({ by, at }) => (
              <li key={by}>
                {by} at +{seconds(at - start)}
              </li>
            ))}
          </ul>
        )}
      </Section>
    </>
  );
};
