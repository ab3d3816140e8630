// The chosen broadcast of a team: when it was said and at what cost, what its sender knew then, and whom it reached.

import { duration, tokens, usd } from '../../../../src/views/amounts.ts';
import type { TeamEntry, TeamTalk } from '../../../../src/views/talk/team-talk.ts';
import { opHref } from '../../app/addresses.ts';
import { Icon } from '../../parts/icon.tsx';
import { type Figure, Figures, Section } from '../../parts/panel.tsx';
import { seconds, sinceStart } from '../../parts/times.tsx';
import { knownBefore, lineOf, type TeamFacts, unknownThen } from './hearing.ts';

interface Props {
  readonly entry: TeamEntry;
  readonly team: TeamTalk;
  readonly facts: TeamFacts;
  readonly run: string;
}

export const Broadcast = (props: Props) => {
  const { entry, run } = props;
  const isNotice = entry.role === 'notice';
  return (
    <>
      <Section
        title={`${isNotice ? 'Notice' : 'Broadcast'} ${entry.number} ${isNotice ? 'about' : 'of'} ${entry.memberId}`}
        aside={
          <a class="op" href={opHref(run, entry.op)}>
            {entry.op}
          </a>
        }
      >
        <Figures as="facts" of={figuresOf(props)} />
      </Section>
      {!isNotice && <KnownThen {...props} />}
      <Section title="Reached" aside={entry.heard.length === 0 ? '' : `${entry.heard.length}`}>
        {entry.heard.length === 0 ? <p class="faint">It was not heard.</p> : <Reached {...props} />}
      </Section>
    </>
  );
};

/** A notice is no model's. */
function figuresOf({ entry, facts }: Props): readonly Figure[] {
  const said = { name: 'said', value: sinceStart(entry.timestamp, facts.start) };
  const line = entry.role === 'notice' ? undefined : lineOf(entry, facts.lines);
  if (line === undefined) return [said];
  return [
    said,
    ...(line.ms === undefined ? [] : [{ name: 'thought', value: duration(line.ms) }]),
    ...(line.usage === undefined ? [] : [{ name: 'tokens', value: tokens(line.usage.input + line.usage.output) }]),
    { name: 'cost', value: line.usd === undefined ? '$?' : usd(line.usd) },
  ];
}

const KnownThen = ({ entry, team }: Props) => {
  const known = knownBefore(entry, team.entries);
  const unknown = unknownThen(entry, team.entries);
  return (
    <Section title="What it knew then" aside={`${known.length} broadcasts of others`}>
      <ul class="team-known">
        {known.map((one) => (
          <Known key={one.op} entry={one} icon="answered" words={one.message} />
        ))}
        {unknown.map((one) => (
          <Known
            key={one.op}
            entry={one}
            icon="timed-out"
            words={
              one.timestamp > entry.timestamp
                ? `not known: said ${seconds(one.timestamp - entry.timestamp)} later`
                : 'not known: said, and not heard yet'
            }
          />
        ))}
        {known.length + unknown.length === 0 && <li class="faint">Nothing was said by others.</li>}
      </ul>
    </Section>
  );
};

const Reached = ({ entry, team, facts, run }: Props) => (
  <ul class="team-known">
    {entry.heard.map(({ by, at, op }) => (
      <li key={by} class="line gaps small-text">
        <Icon name="routed" />
        <strong>{by}</strong>
        <span class="faint">{turnAfter(team, by, at, facts)}</span>
        <a class="op" href={opHref(run, op)}>
          {op}
        </a>
        <span class="grow" />
        <span class="faint num">{sinceStart(at, facts.start)}</span>
      </li>
    ))}
  </ul>
);

/** `before its turn 2` */
function turnAfter(team: TeamTalk, by: string, at: number, { lines }: TeamFacts): string {
  const session = team.participants.find(({ id }) => id === by)?.session;
  const next = lines.find((line) => line.session === session && line.startedAt >= at);
  return next === undefined ? '' : `before its turn ${next.turn}`;
}

const Known = (props: {
  readonly entry: TeamEntry;
  readonly icon: 'answered' | 'timed-out';
  readonly words: string;
}) => (
  <li class="line gaps small-text">
    <Icon name={props.icon} />
    <span class="nowrap">
      #{props.entry.number} {props.entry.memberId}
    </span>
    <span class="faint cut" title={props.words}>
      {props.words}
    </span>
  </li>
);
