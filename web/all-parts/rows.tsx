// Rows: of the list of runs, of the timeline, and the boxes of the graph, in each of their states.

import type { RunEvent } from '../../src/journal/event.ts';
import { fault } from '../../src/kernel/fault.ts';
import { brokenOutcome } from '../../src/kernel/outcome.ts';
import type { RunRow } from '../../src/server/protocol.ts';
import { GraphFold } from '../../src/views/run-graph.ts';
import { OpTreeFold } from '../../src/views/tree/op-tree.ts';
import { call, journalByHand } from '../../test/support/events.ts';
import { GraphBox } from '../src/screens/graph/box.tsx';
import { boxWords } from '../src/screens/graph/box-words.ts';
import type { Box } from '../src/screens/graph/picture.ts';
import { TimelineRow } from '../src/screens/run/timeline/row.tsx';
import { rowsOf } from '../src/screens/run/timeline/rows.ts';
import { RowOfList } from '../src/screens/runs/list-row.tsx';
import type { ListRow } from '../src/screens/runs/run-rows.ts';
import { nothing, type Specimens } from './specimen.tsx';
import '../src/screens/graph/graph.css';
import '../src/parts/bars.css';
import '../src/screens/run/timeline/timeline.css';
import '../src/screens/runs/runs.css';

const AT = 1_800_000_000_000;

const RUN: RunRow = {
  run: '20270115-080000-0000001',
  agent: 'front-desk',
  input: { text: 'The mirror of my sextant arrived broken. Please refund order 17.' },
  folder: '/help-desk',
  prefix: '',
  driver: 'none',
  startedAt: AT,
  endedAt: AT + 2500,
  state: 'ended',
  outcome: 'answered',
  agents: ['front-desk'],
  resumes: 0,
  failedBelow: 0,
  refused: 0,
  calls: 10,
  tokens: { input: 6000, output: 900 },
  spent: [],
  waiting: 0,
  events: 60,
  bytes: 4000,
  usd: 0.0036,
  unpriced: 0,
  inDoubt: 0,
  atLeast: false,
};
const { outcome: _outcome, endedAt: _endedAt, ...OPEN } = RUN;
const FAULT = { code: 'model/server', message: 'upstream connect error' } as const;

const RUNS: Readonly<Record<string, RunRow>> = {
  answered: RUN,
  'failed below': { ...RUN, failedBelow: 1 },
  refused: { ...RUN, refused: 2 },
  failed: { ...RUN, outcome: 'failed', stage: 'refund-order', fault: FAULT },
  'without a price': { ...RUN, outcome: 'timed-out', unpriced: 1, atLeast: true },
  cancelled: { ...RUN, outcome: 'cancelled' },
  'marked by two': {
    ...RUN,
    notes: [
      { run: RUN.run, by: 'owner', at: AT, mark: 'bad', text: 'No amount.' },
      { run: RUN.run, by: 'ci', at: AT, mark: 'good' },
    ],
  },
  'waits for you': { ...OPEN, state: 'running', waiting: 1 },
  queued: { ...OPEN, state: 'running', queued: true },
  'broken off': { ...OPEN, state: 'broken-off', inDoubt: 1 },
};

const listRow = (of: ListRow, focused = false) => (
  <div role="grid" aria-label={of.key}>
    <RowOfList
      of={of}
      index={0}
      top={0}
      focused={focused}
      marked={focused}
      withFolder
      days={undefined}
      onFocus={nothing}
      onToggle={nothing}
    />
  </div>
);

const sums = {
  runs: 6,
  notAnswered: 0,
  calls: 66,
  tokens: { input: 50_000, output: 9000 },
  usd: 0.031,
  unpriced: 0,
  atLeast: false,
  waiting: 0,
  ms: 21_000,
  asked: 'Does 4.2.0 go out today?',
};

/** An agent that asked another one, had a call refused, and failed. */
const worked = (): readonly RunEvent[] =>
  journalByHand()
    .ask('0.1')
    .reply('0.1', '', [call('a', 'agent__helper'), call('b', 'read_file'), call('c', 'no_such_tool')])
    .run('0.2.0', 'helper')
    .ask('0.2.0.1', { session: '0.2.0', agent: 'helper' })
    .reply('0.2.0.1', 'found')
    .runEnds('0.2.0')
    .tool('0.2.1', call('b', 'read_file'))
    .toolEnds('0.2.1', 'text')
    .signal('0.3', 'lead wants to call edit_file', { id: 'd', name: 'edit_file', arguments: { path: 'src/speed.js' } })
    .signalEnds('0.3', { approved: false, note: 'Not today.' })
    .ask('0.4', { turn: 2 })
    .over(brokenOutcome(fault('model/server', 'upstream connect error'))).events;

const timeline = () => {
  const fold = new OpTreeFold();
  for (const event of worked()) fold.add(event);
  return rowsOf(fold.tree(), { level: 'ops', byHand: new Map(), instants: true });
};

const BOX: Box = {
  name: 'lead',
  agents: ['lead'],
  description: 'Leads the room.',
  isFolder: false,
  layer: 0,
  left: 0,
  top: 0,
};

const graphBox = (name: string, events: readonly RunEvent[], chosen = false) => {
  const fold = new GraphFold();
  for (const event of events) fold.add(event);
  const state = fold.at(events.length);
  const words = boxWords(name, state, { now: AT + 5000, isOver: false });
  return (
    <div role="listbox" aria-label={name}>
      <GraphBox box={{ ...BOX, name }} node={state.nodes.get(name)} words={words} chosen={chosen} onChoose={nothing} />
    </div>
  );
};

export const ROWS: Specimens = {
  id: 'rows',
  title: 'Rows and boxes',
  width: 'wide',
  of: {
    ...Object.fromEntries(
      Object.entries(RUNS).map(([name, row]) => [
        `run: ${name}`,
        listRow({ kind: 'run', key: row.run, row, isOpen: false }),
      ]),
    ),
    'run: chosen': listRow({ kind: 'run', key: RUN.run, row: RUN, isOpen: false }, true),
    'chat: closed': listRow({ kind: 'run', key: 't1', row: { ...RUN, thread: 't1', messages: sums }, isOpen: false }),
    'chat: a message of it': listRow({ kind: 'message', key: RUN.run, row: RUN, parent: 't1' }),
    'row of the timeline': (
      <div class="tl" role="treegrid" aria-label="Timeline">
        {timeline().map((row, index) => (
          <TimelineRow
            key={row.key}
            row={row}
            index={index}
            top={0}
            bars={[]}
            selected={index === 1}
            dimmed={index === 2}
            arriving={undefined}
            argument={undefined}
            attempts={index === 1 ? 3 : 1}
            onSelect={nothing}
            onTwist={nothing}
          />
        ))}
      </div>
    ),
    'box of the graph: not reached': graphBox('clerk', worked()),
    'box of the graph: thinks': graphBox('lead', journalByHand().ask('0.1').events),
    'box of the graph: asks you': graphBox(
      'lead',
      journalByHand().ask('0.1').reply('0.1', '').signal('0.2', 'May I?').events,
    ),
    'box of the graph: answered, chosen': graphBox('helper', worked(), true),
    'box of the graph: failed': graphBox('lead', worked()),
  },
};
