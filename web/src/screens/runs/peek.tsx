// A look at one run beside the list: where it failed, who worked when, what it cost, its forks, and what a replay says.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { RunRow, ThreadMessage } from '../../../../src/server/protocol.ts';
import { costText, duration, plural } from '../../../../src/views/amounts.ts';
import type { Ledger } from '../../../../src/views/costs/ledger.ts';
import { limitWords } from '../../../../src/views/limit-words.ts';
import { runStanding } from '../../../../src/views/runs/run-standing.ts';
import type { OpNode } from '../../../../src/views/tree/op-tree.ts';
import { opHref, runHref } from '../../app/addresses.ts';
import { offline } from '../../data/connection.ts';
import { replayOf } from '../../data/replayed.ts';
import { useRun } from '../../data/runs-in-use.ts';
import { useThread } from '../../data/threads.ts';
import { AgentCosts } from '../../parts/agent-costs.tsx';
import { Button, Key, LinkButton, SheetClose } from '../../parts/controls.tsx';
import { Icon } from '../../parts/icon.tsx';
import { type Figure, Figures, Section } from '../../parts/panel.tsx';
import { Chip, StateWord } from '../../parts/state.tsx';
import { Lasting, Moment, TimeOfDay } from '../../parts/times.tsx';
import { ReplayDialog, ReplayOutcome } from '../run/actions/replay-dialog.tsx';
import { BROKEN, Lanes } from './lanes.tsx';

interface PeekProps {
  readonly row: RunRow;
  /** Where it is opened. */
  readonly href: string;
  /** A conversation, of which this is the newest message. */
  readonly isChat: boolean;
  /** It lies over the list, and asks for no journal. */
  readonly isDrawer: boolean;
  readonly forks: readonly RunRow[];
  readonly onClose: () => void;
}

export const Peek = (props: PeekProps) => {
  const { row, isChat, isDrawer, onClose } = props;
  const head = (
    <div class="line gaps tiny-text faint">
      {isChat ? <span>Chat of {plural(row.messages?.runs ?? 1, 'message')}</span> : <span class="mono">{row.run}</span>}
      <span class="grow" />
      <Key keys="Space" />
      <SheetClose onPress={onClose} />
    </div>
  );
  return (
    <aside
      class={isDrawer ? 'side drawer runs-peek' : 'side runs-peek'}
      aria-label={isChat ? 'Chat' : `Run ${row.run}`}
    >
      {isChat ? <ChatPeek {...props} head={head} /> : <RunPeek {...props} head={head} />}
    </aside>
  );
};

type HeadedPeek = PeekProps & { readonly head: ComponentChildren };

const RunPeek = (props: HeadedPeek) =>
  props.isDrawer ? <RunFacts {...props} /> : <JournalPeek key={props.row.run} {...props} />;

const JournalPeek = (props: HeadedPeek) => {
  const data = useRun(props.row.run);
  const isReady = data.loading.value.kind === 'ready';
  return <RunFacts {...props} {...(isReady && { seen: { tree: data.tree.value, ledger: data.ledger.value } })} />;
};

interface RunFactsProps extends HeadedPeek {
  /** Its journal, once it has come. */
  readonly seen?: { readonly tree: OpNode; readonly ledger: Ledger };
}

const RunFacts = ({ row, forks, head, seen }: RunFactsProps) => {
  const replayed = replayOf(row.run);
  const failing = seen !== undefined && row.fault !== undefined ? deepestBroken(seen.tree) : undefined;
  return (
    <>
      <PeekHead
        head={head}
        row={row}
        asked={row.input.text}
        figures={[
          { name: 'began', value: <Moment at={row.startedAt} /> },
          { name: 'time', value: <Lasting from={row.startedAt} to={endOf(row)} /> },
          { name: 'model calls', value: row.calls },
          { name: 'cost', value: costText(row) },
          ...(row.worker === undefined ? [] : [{ name: 'worker', value: row.worker }]),
        ]}
      />
      <div class="panel-body">
        {row.fault !== undefined && row.outcome !== 'cancelled' && <Failed row={row} where={failing} />}
        {replayed !== undefined && (
          <Section title="Replay">
            <ReplayOutcome run={row.run} result={replayed} />
          </Section>
        )}
        {seen !== undefined && <Lanes tree={seen.tree} lines={seen.ledger.lines} row={row} />}
        {seen !== undefined && <AgentCosts agents={seen.ledger.agents} />}
        {forks.length > 0 && <Forks of={forks} />}
        <Feedback of={[row]} />
      </div>
      <RunWays row={row} failing={failing} />
    </>
  );
};

/** Where a person goes from here. */
const RunWays = ({ row, failing }: { readonly row: RunRow; readonly failing: OpNode | undefined }) => {
  const [asks, setAsks] = useState(false);
  return (
    <>
      <div class="panel-foot">
        <LinkButton href={runHref(row.run)} keys="Enter" main>
          Open
        </LinkButton>
        {failing !== undefined && (
          <LinkButton href={opHref(row.run, failing.path)} icon="fork">
            Fork at {failing.path}
          </LinkButton>
        )}
        {row.state !== 'running' && (
          <Button icon="replay" off={offline()} onPress={() => setAsks(true)}>
            Replay
          </Button>
        )}
        {failing === undefined && <LinkButton href={runHref(row.run, 'conversation')}>Conversation</LinkButton>}
        {failing === undefined && <LinkButton href={runHref(row.run, 'cost')}>Cost</LinkButton>}
      </div>
      {asks && <ReplayDialog run={row.run} onClose={() => setAsks(false)} />}
    </>
  );
};

interface HeadProps {
  readonly head: HeadedPeek['head'];
  readonly row: RunRow;
  readonly asked: string;
  readonly figures: readonly Figure[];
}

const PeekHead = ({ head, row, asked, figures }: HeadProps) => (
  <div class="panel-head">
    {head}
    <h2>
      {row.agent} <Chip state={runStanding(row)} />
    </h2>
    <p class="runs-peek-asked soft breaks" dir="auto">
      {asked}
    </p>
    <Figures as="facts" of={figures} />
  </div>
);

const Forks = ({ of }: { readonly of: readonly RunRow[] }) => (
  <Section title="Forks" aside={of.length}>
    {of.map((fork) => (
      <div key={fork.run} class="line gaps small-text">
        <Icon name="fork" />
        <a class="link mono" href={runHref(fork.run)}>
          {fork.run.slice(0, 15)}
        </a>
        at <span class="mono">{fork.forkedFrom?.at}</span>
        <span class="grow" />
        <StateWord state={runStanding(fork)} />
      </div>
    ))}
  </Section>
);

/** A conversation: its last answer, and what each message came to. */
const ChatPeek = ({ row, href, head }: HeadedPeek) => {
  const { info } = useThread(row.thread ?? '');
  const messages = info.value?.runs ?? [];
  const [first] = messages;
  const { messages: sums } = row;
  return (
    <>
      <PeekHead
        head={head}
        row={row}
        asked={sums?.asked ?? row.input.text}
        figures={[
          { name: 'began', value: first === undefined ? '–' : <Moment at={first.startedAt} /> },
          { name: 'time', value: sums === undefined ? '–' : duration(sums.ms) },
          { name: 'model calls', value: sums?.calls ?? '–' },
          { name: 'cost', value: sums === undefined ? '–' : costText(sums) },
        ]}
      />
      <div class="panel-body" tabIndex={0} role="region" aria-label="Messages">
        <LastAnswer of={messages.at(-1)} />
        <EachMessage of={messages} />
        <Feedback of={messages} />
      </div>
      <div class="panel-foot">
        <LinkButton href={href} keys="Enter" main>
          Go on chatting
        </LinkButton>
        <LinkButton href={runHref(row.run)}>Last run</LinkButton>
      </div>
    </>
  );
};

const LastAnswer = ({ of }: { readonly of: ThreadMessage | undefined }) =>
  of?.ending?.kind !== 'answered' ? null : (
    <Section title="Last answer" aside={of.endedAt === undefined ? undefined : <TimeOfDay at={of.endedAt} />}>
      <div class="text pre runs-peek-answer" dir="auto">
        {of.ending.text}
      </div>
    </Section>
  );

const EachMessage = ({ of }: { readonly of: readonly ThreadMessage[] }) => (
  <Section title="Each message" aside="own cost">
    <ol class="runs-peek-messages">
      {of.toReversed().map((message) => (
        <li key={message.run} class="cols small-text">
          <span class="faint num">
            <TimeOfDay at={message.startedAt} />
          </span>
          <a class="cut" dir="auto" href={runHref(message.run)} title={message.input.text}>
            {message.input.text}
          </a>
          <span class="num">{costText(message)}</span>
        </li>
      ))}
    </ol>
  </Section>
);

const Feedback = ({ of }: { readonly of: readonly Pick<RunRow, 'run' | 'notes'>[] }) => {
  const notes = of.flatMap((row) => row.notes ?? []);
  if (notes.length === 0) return null;
  return (
    <Section title="Feedback" aside={notes.length}>
      {notes.map((note) => (
        <p key={`${note.run} ${note.by}`} class="line gaps small-text">
          <Icon name={note.mark} />
          <span dir="auto" class="breaks">
            <TimeOfDay at={note.at} />, {note.mark} by <bdi>{note.by}</bdi>
            {note.text !== undefined && `: “${note.text}”`}
          </span>
        </p>
      ))}
    </Section>
  );
};

const endOf = ({ state, endedAt, startedAt }: RunRow): number | undefined =>
  state === 'running' ? undefined : (endedAt ?? startedAt);

const Failed = ({ row, where }: { readonly row: RunRow; readonly where: OpNode | undefined }) => {
  const turn = where?.turn === undefined ? '' : `, turn ${where.turn}`;
  const tried = where?.attempts === undefined || where.attempts < 2 ? '' : `, after ${where.attempts} attempts`;
  return (
    <Section
      title="Where it failed"
      aside={
        where !== undefined && (
          <a class="link mono" href={opHref(row.run, where.path)}>
            {where.path}
          </a>
        )
      }
    >
      <div class="text bad">
        <strong>{row.stage ?? row.agent}</strong>
        {turn}
        {tried}
        <br />
        {row.fault?.limit === undefined ? row.fault?.message : limitWords(row.fault.limit)}{' '}
        <code>({row.fault?.code})</code>
      </div>
    </Section>
  );
};

/** The op that the failure came from: the last broken one, as deep as it goes. */
function deepestBroken(node: OpNode): OpNode | undefined {
  for (const child of node.children.toReversed()) {
    const below = deepestBroken(child);
    if (below !== undefined) return below;
  }
  return BROKEN.has(node.state) && node.path !== '0' ? node : undefined;
}
