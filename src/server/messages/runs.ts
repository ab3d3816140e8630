// Runs: how they are started, told something, listed and taken up.

import { z } from 'zod';
import type { RunSum, SpentRow } from '../../journal/run-totals.ts';
import { MARKS, MOST_NOTE_TEXT, type RunNote, type RunSummary } from '../../journal/store.ts';
import { type FaultCode, OUTCOME_KINDS } from '../../kernel/fault.ts';
import type { FileRef } from '../../kernel/file-ref.ts';
import type { Outcome } from '../../kernel/outcome.ts';
import type { JsonSchema } from '../../kernel/schema.ts';
import type { RunReport } from '../../views/report/run-report.ts';
import type { ValueOf } from './message.ts';
import { arrayOf, declaredAs, declaredKeys, exactObject, mapOf, message, openObject, part } from './schema.ts';

export const AttachedFile = message(
  'AttachedFile',
  exactObject({ name: z.string().min(1).max(300), text: z.string() }),
);
export type AttachedFile = ValueOf<typeof AttachedFile>;

const FILE_NAME = z.string().min(1).max(1000);

/** A file of a request: a text, any file as base64, or one that was uploaded before. */
const RunFile = message(
  'RunFile',
  z.union([
    exactObject({ name: FILE_NAME, text: z.string() }),
    exactObject({ name: FILE_NAME, data: z.string().describe('Its bytes as base64.') }),
    exactObject({
      digest: z.string().describe('The digest that `POST /api/blobs` answered.'),
      name: FILE_NAME.exactOptional(),
      run: z.string().describe('A run that has it, for a file that was not uploaded in the last day.').exactOptional(),
    }),
  ]),
);

export const UploadedFile = message(
  'UploadedFile',
  declaredKeys<FileRef>()({
    digest: z.string().describe('The SHA-256 of its bytes, in hex.'),
    type: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf']),
    name: z.string(),
    bytes: z.int().min(0),
    width: z.int().exactOptional(),
    height: z.int().exactOptional(),
    pages: z.int().exactOptional(),
  }),
);

const SAID = { role: z.enum(['user', 'assistant']), text: z.string() };

const Exchanges = message('History', arrayOf(exactObject(SAID)));

const ToldExchanges = message(
  'ToldHistory',
  arrayOf(
    openObject({
      ...SAID,
      files: arrayOf(part(UploadedFile)).describe('The pictures and documents that came with it.').exactOptional(),
    }),
  ),
);

const WantedOutput = message(
  'OutputContract',
  exactObject({
    format: z.enum(['markdown', 'text', 'json']),
    schema: declaredAs<JsonSchema>({ type: ['object', 'boolean'] }).exactOptional(),
  }),
);

export const StartRun = message(
  'StartRun',
  exactObject({
    agent: z.string().min(1).describe('Its name, with the prefix of its cadre where there are several.'),
    input: z.unknown().describe('A text, or any JSON value for an agent that takes JSON.'),
    files: arrayOf(part(RunFile))
      .describe('Texts, pictures (PNG, JPEG, GIF, WebP) and PDF files that go with it.')
      .exactOptional(),
    output: part(WantedOutput).describe('The form of the answer: it binds the agent that answers.').exactOptional(),
    stopAfter: z.string().describe('The stage of a chain after which it ends, for debugging.').exactOptional(),
    label: z.string().describe('A name for the run.').exactOptional(),
    thread: z
      .string()
      .describe('The conversation that it continues, which needs the permission `see`; `new` begins one.')
      .exactOptional(),
    continues: z
      .string()
      .nullable()
      .describe(
        'The run of the thread that it follows. An earlier one begins a branch, null one from the beginning. With the thread `new`: any run of the agent, whose request and answer come first.',
      )
      .exactOptional(),
    history: part(Exchanges)
      .describe('The exchanges before it, for a client that keeps the conversation itself.')
      .exactOptional(),
  }),
);
export type StartRun = ValueOf<typeof StartRun>;

const OutcomeShown = message(
  'Outcome',
  declaredAs<Outcome>({
    type: 'object',
    properties: {
      kind: { enum: OUTCOME_KINDS, description: 'Only `answered` is a success.' },
      text: { type: 'string' },
      data: { description: 'The answer as a value, where it is JSON.' },
      fault: { type: 'object' },
      partial: { type: 'string', description: 'The text that was written before it broke off. Not an answer.' },
    },
    required: ['kind'],
  }),
);

export const StartedRun = message(
  'StartedRun',
  openObject({
    run: z.string(),
    thread: z.string().exactOptional(),
    state: z
      .enum(['running', 'waiting', 'ended', 'broken-off'])
      .describe('`waiting`: more runs are at work than `server.maxRuns` allows, and it begins when its turn comes.'),
    outcome: part(OutcomeShown).describe('The outcome, with `?wait`, if it ended in time.').exactOptional(),
  }),
);
export type StartedRun = ValueOf<typeof StartedRun>;

const SUM = {
  runs: z.int().min(0),
  notAnswered: z.int().min(0).describe('Ended without an answer, or broken off.'),
  calls: z.int().min(0).describe('Model calls.'),
  tokens: openObject({ input: z.number(), output: z.number() }),
  usd: z.number().describe('Absent where no call has a price.').exactOptional(),
  unpriced: z.int().min(0).describe('Calls whose price is unknown.'),
  atLeast: z.boolean().describe('`usd` is only the least that was spent.'),
};

const RunSumShown = message('RunSum', declaredKeys<RunSum>()(SUM));

export interface MessageSums extends RunSum {
  /** Questions to a person. */
  readonly waiting: number;
  /** The time that they took, one after another. */
  readonly ms: number;
  /** The first one. */
  readonly asked: string;
}

const MessageSumsShown = message(
  'MessageSums',
  declaredKeys<MessageSums>()({
    ...SUM,
    waiting: z.int().min(0).describe('Questions of them to a person.'),
    ms: z.number().describe('The time that they took, one after another.'),
    asked: z.string().describe('The first request.'),
  }),
);

interface ServedFacts {
  /** The prefix of the cadre that it is of; null where its folder is not served here. */
  readonly prefix: string | null;
  /** The process that works on it. */
  readonly driver: 'this' | 'other' | 'none';
  readonly now?: string;
  readonly queuedWhy?: string;
  readonly messages?: MessageSums;
  readonly notes?: readonly RunNote[];
}

const NoteShown = message(
  'Note',
  declaredKeys<RunNote>()({
    run: z.string(),
    by: z.string().describe('The name of the person or of their token.'),
    at: z.number(),
    mark: z.enum(MARKS),
    text: z.string().exactOptional(),
  }),
);

export const PutNote = message(
  'PutNote',
  exactObject({
    mark: z.enum([...MARKS, 'none']).describe('`none` takes the mark of this caller back.'),
    text: z.string().max(MOST_NOTE_TEXT).describe('The reason.').exactOptional(),
  }),
);

export const NoteList = message('NoteList', openObject({ items: arrayOf(part(NoteShown)).describe('Newest first.') }));

const ROW = {
  run: z.string(),
  agent: z.string(),
  input: declaredAs<RunSummary['input']>(),
  state: z.enum(['running', 'broken-off', 'ended']),
  driver: z.enum(['this', 'other', 'none']).describe('The process that works on it.'),
  prefix: z.string().nullable().describe('The prefix of its cadre. Null: its folder is not served here.'),
  startedAt: z.number(),
  endedAt: z.number().exactOptional(),
  outcome: z.enum(OUTCOME_KINDS).exactOptional(),
  label: z.string().exactOptional(),
  thread: z.string().exactOptional(),
  waiting: z.int().describe('Calls that wait for a person.'),
  events: z.int(),
  usd: z.number().exactOptional(),
  now: z.string().describe('The activity now, while it runs here.').exactOptional(),
  worker: z.string().describe('The worker that works on it.').exactOptional(),
  queued: z.literal(true).describe('It waits for a worker.').exactOptional(),
  queuedWhy: z.string().describe('The reason why no worker has it.').exactOptional(),
  notes: arrayOf(part(NoteShown)).describe('Marks of people, newest first.').exactOptional(),
  messages: part(MessageSumsShown)
    .describe('The sums of all messages of its conversation that fit, with `together`, if there are several.')
    .exactOptional(),
};

export const RunRow = message('Run', declaredKeys<RunSummary & ServedFacts>()(ROW));
export type RunRow = ValueOf<typeof RunRow>;

export const RunList = message(
  'RunList',
  openObject({
    items: arrayOf(part(RunRow)),
    next: z.string().describe('`before` of the next page; absent on the last one.').exactOptional(),
    total: z
      .int()
      .min(0)
      .describe('The number of runs that fit. On the first page, as all that follows.')
      .exactOptional(),
    states: mapOf(z.int().min(1))
      .describe(
        'The number of them in each state: an outcome, `running`, `person` (waits for one), `queued`, `broken-off`.',
      )
      .exactOptional(),
    sum: part(RunSumShown).describe('The sums of their usage.').exactOptional(),
  }),
);
export type RunList = ValueOf<typeof RunList>;

export const SpentList = message(
  'SpentList',
  openObject({
    rows: arrayOf(
      declaredKeys<SpentRow>()({
        day: z.string().describe('`2026-11-15`').exactOptional(),
        from: z.number().describe('The first moment of the day, or of the hour.').exactOptional(),
        to: z.number().describe('The moment after its last.').exactOptional(),
        agent: z.string().describe('The agent that made the calls.').exactOptional(),
        model: z.string().exactOptional(),
        ...SUM,
      }),
    ).describe(
      'Oldest first. Days and hours without a run have none. A run counts once in each row that has a call of it.',
    ),
    total: part(RunSumShown),
  }),
);
export type SpentList = ValueOf<typeof SpentList>;

export const SaveFilter = message(
  'SaveFilter',
  exactObject({ query: z.string().max(4000).describe('The part of an address of the list after `?`.') }),
);
export type SaveFilter = ValueOf<typeof SaveFilter>;

export const FilterList = message(
  'FilterList',
  openObject({ items: arrayOf(openObject({ name: z.string(), query: z.string() })) }),
);
export type FilterList = ValueOf<typeof FilterList>;

export const ReportShown = message(
  'RunReport',
  declaredKeys<RunReport>()({
    run: z.string(),
    thread: z.string().exactOptional(),
    continues: z.string().exactOptional(),
    outcome: part(OutcomeShown).nullable(),
    tree: declaredAs<RunReport['tree']>(),
    ledger: declaredAs<RunReport['ledger']>({ type: 'array', items: { type: 'object' } }),
    calls: openObject({
      failed: z.int().min(0),
      denied: z.int().min(0),
      changesDenied: z.int().min(0),
      refused: z.int().min(0),
    }),
    refused: declaredAs<RunReport['refused']>({ type: 'array', items: { type: 'object' } }).exactOptional(),
    notes: arrayOf(part(NoteShown)).describe('Marks of people. Absent if there are none.').exactOptional(),
    totals: declaredAs<RunReport['totals']>(),
  }),
);

export const EndRun = message('EndRun', exactObject({ reason: z.string().min(1).max(2000).exactOptional() }));
export type EndRun = ValueOf<typeof EndRun>;

export const SendToRun = message(
  'SendToRun',
  exactObject({ text: z.string().min(1), files: arrayOf(part(AttachedFile)).exactOptional() }),
);
export type SendToRun = ValueOf<typeof SendToRun>;

export const ControlAccepted = message(
  'ControlAccepted',
  openObject({ accepted: z.enum(['taken', 'waits']).describe('`waits`: the run takes it first when it goes on.') }),
);
export type ControlAccepted = ValueOf<typeof ControlAccepted>;

export const ResumeRun = message(
  'ResumeRun',
  exactObject({
    takeOver: z.boolean().describe('Even if another process holds it.').exactOptional(),
    pinnedConfig: z.boolean().describe('Also use what only the recorded cadre.yaml has.').exactOptional(),
  }),
);
export type ResumeRun = ValueOf<typeof ResumeRun>;

export const ResumedRun = message('ResumedRun', openObject({ run: z.string() }));

export const ThreadRow = message(
  'ThreadRow',
  openObject({
    thread: z.string(),
    title: z.string().describe('The first request, on one line and cut.'),
    agent: z.string().describe('The name with the prefix of its cadre.'),
    run: z.string().describe('The newest message.'),
    state: z.enum(['running', 'broken-off', 'ended']),
    outcome: z.enum(OUTCOME_KINDS).exactOptional(),
    fault: declaredAs<FaultCode>({ type: 'string' }).exactOptional(),
    messages: z.int().min(0).describe('Messages of the branch that goes on.'),
    usd: z.number().describe('The cost of all of its branches; absent if no call is priced.').exactOptional(),
    atLeast: z.boolean().describe('`usd` is only the least that was spent.'),
    waiting: z.int().min(0).describe('Questions of its runs to a person.'),
    at: z.number().describe('The time at which anything last began or ended.'),
  }),
);
export type ThreadRow = ValueOf<typeof ThreadRow>;

export const ThreadList = message(
  'ThreadList',
  openObject({
    items: arrayOf(part(ThreadRow)),
    total: z.int().min(0).describe('The number of all that fit.'),
    next: z.string().describe('`before` of the next page; absent on the last one.').exactOptional(),
  }),
);
export type ThreadList = ValueOf<typeof ThreadList>;

const ThreadMessage = message(
  'ThreadMessage',
  declaredKeys<RunSummary & ServedFacts & { readonly ending?: Outcome }>()({
    ...ROW,
    ending: part(OutcomeShown).describe('The outcome, with the text of its answer.').exactOptional(),
  }),
);
export type ThreadMessage = ValueOf<typeof ThreadMessage>;

export const ThreadInfo = message(
  'Thread',
  openObject({
    thread: z.string(),
    agent: z.string(),
    runs: arrayOf(part(ThreadMessage)).describe('Oldest first.'),
    history: part(ToldExchanges).describe('The conversation as the next message gets it.'),
  }),
);
export type ThreadInfo = ValueOf<typeof ThreadInfo>;
