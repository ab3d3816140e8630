// The side of a team: its seats with their turns, states and costs, and for the chosen broadcast the others that its
// sender knew then.

import { usd } from '../../../../src/views/amounts.ts';
import type { SessionProgress } from '../../../../src/views/progress/progress.ts';
import type { TeamEntry, TeamTalk } from '../../../../src/views/talk/team-talk.ts';
import { opHref, runHref } from '../../app/addresses.ts';
import { select } from '../../app/router.ts';
import { runAgents, turnsOf } from '../../data/run-agents.ts';
import type { RunData } from '../../data/run-data.ts';
import { Button, LinkButton } from '../../parts/controls.tsx';
import { Section } from '../../parts/panel.tsx';
import { StateWord, stateOf } from '../../parts/state.tsx';
import { Broadcast } from './broadcast.tsx';
import type { TeamFacts } from './hearing.ts';

interface Props {
  readonly data: RunData;
  readonly team: TeamTalk;
  readonly chosen: TeamEntry | undefined;
  readonly facts: TeamFacts;
  readonly onFork: () => void;
}

export const TeamSide = ({ data, team, chosen, facts, onFork }: Props) => {
  const { sessions } = data.progress.value;
  return (
    <aside class="side" aria-label="The team">
      <div class="panel-body stack team-side" tabIndex={0}>
        <Section title="The team" aside={`${team.participants.length} seats`}>
          <ul class="team-seats">
            {team.participants.map(({ id, role, session }) => (
              <Seat
                key={id}
                id={id}
                role={role}
                session={session}
                at={sessions.find((one) => one.session === session)}
                data={data}
              />
            ))}
          </ul>
        </Section>
        {chosen !== undefined && <Broadcast entry={chosen} team={team} facts={facts} run={data.run} />}
      </div>
      {chosen !== undefined && <Foot of={chosen} run={data.run} onFork={onFork} />}
    </aside>
  );
};

interface FootProps {
  readonly of: TeamEntry;
  readonly run: string;
  readonly onFork: () => void;
}

const Foot = ({ of: { op, session, memberId }, run, onFork }: FootProps) => {
  const fork = (): void => {
    select({ kind: 'op', path: op });
    onFork();
  };
  return (
    <div class="panel-foot">
      <Button icon="fork" keys="shift+f" onPress={fork}>
        Fork here
      </Button>
      {session !== undefined && (
        <LinkButton href={runHref(run, 'conversation', { query: { session } })} keys="Enter">
          Conversation of {memberId}
        </LinkButton>
      )}
      <span class="grow" />
      <a class="btn bare" href={opHref(run, op)}>
        Timeline
      </a>
    </div>
  );
};

const MOST_BOXES = 12;

const Seat = (props: {
  readonly id: string;
  readonly role: string;
  readonly session: string;
  readonly at: SessionProgress | undefined;
  readonly data: RunData;
}) => {
  const { id, role, session, at, data } = props;
  const most = at === undefined ? undefined : turnsOf(at, runAgents(data).value);
  const turn = at?.turn ?? 0;
  return (
    <li class="ruled">
      <p class="line gaps">
        <a href={runHref(data.run, 'conversation', { query: { session } })}>
          <strong>{id}</strong>
        </a>
        <span class="grow" />
        {at !== undefined && <StateWord state={stateOf(at.activity)} />}
      </p>
      <p class="line gaps small-text faint">
        {role}
        {most !== undefined && most <= MOST_BOXES && (
          <span class="team-turns line gaps-2" aria-hidden="true">
            {Array.from({ length: most }, (_, index) => (
              <i key={index} class={index < turn ? 'made' : undefined} />
            ))}
          </span>
        )}
        <span>{most === undefined ? `${turn} turns` : `${turn} of ${most} turns`}</span>
        <span class="grow" />
        <span class="num">{at === undefined ? '' : costWords(data, at.session)}</span>
      </p>
    </li>
  );
};

function costWords(data: RunData, session: string): string {
  const own = data.ledger.value.lines.filter((line) => line.session === session);
  const spent = own.reduce((sum, line) => sum + (line.usd ?? 0), 0);
  const unknown = own.filter((line) => line.usd === undefined).length;
  if (own.length === 0) return '';
  return unknown === own.length ? '$?' : `${unknown > 0 ? '≥ ' : ''}${usd(spent)}`;
}
