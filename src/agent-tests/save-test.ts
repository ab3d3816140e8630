// Makes a test of a run: a case with its input and files, a recording of what the models answered, and what held. The requests
// are those of a replay of the run, so the recording fits the agents as they were.

import { existsSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { yaml } from '../base/yaml/package.ts';
import type { CadreDefinition } from '../definition/definition.ts';
import { replay } from '../engine/history/replay.ts';
import type { RunEvent } from '../journal/event.ts';
import type { RunNote, RunStore } from '../journal/store.ts';
import type { ModelReply, ModelRequest, Verdict } from '../kernel/effect.ts';
import { fail } from '../kernel/fault.ts';
import type { OpPath } from '../kernel/path.ts';
import { printOf } from '../models/recorded/print.ts';
import { openTape, type Take } from '../models/recorded/tape.ts';
import { services } from '../run/services.ts';
import { type ObservedMap, observeRun, type RunObservation } from './run-observation.ts';
import { copiesOf, filesBeside, writeCopies } from './save-files.ts';
import type { Expectation, ExpectedItems } from './test-case.ts';

/**
 * The path of the recording beside a test. Throws `usage` if the name is not that of a test, or one of those that would be
 * written is there already.
 */
export function recordingBeside(file: string): string {
  if (!file.endsWith('.test.yaml')) fail('usage', `${file}: the name of a test file ends in .test.yaml.`);
  const recording = join(dirname(file), `${basename(file, '.test.yaml')}.recording.jsonl`);
  for (const one of [file, recording, filesBeside(file)])
    if (existsSync(one)) fail('usage', `${one} is there already. Choose another name.`);
  return recording;
}

/** The expectation of the answer as a person words it. */
export interface WordedExpectation {
  readonly answer?: { readonly equals?: unknown; readonly contains?: readonly string[]; readonly json?: object };
  readonly judge?: { readonly agent: string; readonly rubric: string };
}

/** Writes nothing if the run has not ended, or its agents are others now. */
export async function saveTest(
  events: readonly RunEvent[],
  {
    cadre,
    store,
    expect,
  }: {
    readonly cadre: CadreDefinition;
    readonly store: Pick<RunStore, 'blobs' | 'notes'>;
    /** In place of the one that is made of the run. */
    readonly expect?: WordedExpectation;
  },
  file: string,
): Promise<{ readonly file: string; readonly recording: string; readonly answers: number }> {
  const recording = recordingBeside(file);
  const observed = observeRun(events) ?? fail('usage', 'A test is made of a run that has ended.');
  const [start] = events;
  if (start?.type === 'run-start' && start.input.history !== undefined)
    fail(
      'usage',
      `Run ${start.run} goes on with a conversation, and a test of it would lack what was said before. ` +
        'Save the first run of the thread, or write a test with `thread`.',
    );
  const sent = start?.type === 'run-start' ? (start.input.files ?? []) : [];
  const copies = await copiesOf(sent, store);
  const ends = await endsOf(events, cadre, store);
  const tape = await openTape(recording);
  for (const { request, model: whole, end } of ends) {
    const { session, agent, turn, settings, system, messages, history, tools, callable, choice, output, compact } =
      request;
    const model = whole.slice(whole.indexOf('/') + 1);
    const place = { model, session, agent, turn, ...(compact && { compact }) };
    const parts = { ...place, settings, system, messages, tools, choice, output };
    const asked = { ...parts, ...(history && { history }), ...(callable && { callable }) };
    await tape.add(asked, printOf(asked), end);
  }
  const notes = start?.type === 'run-start' ? await store.notes.list(start.run) : [];
  const isRenamed = copies.some(({ name }, index) => name !== sent[index]?.name);
  const folder = filesBeside(file);
  const files = copies.map(({ name }) => join(relative(dirname(file), folder), name));
  const test = { recording: relative(dirname(file), recording), files, isRenamed, notes, expect };
  writeCopies(copies, folder);
  writeFileSync(file, testText(observed, events, test), { flag: 'wx' });
  return { file, recording, answers: ends.filter(({ end }) => end.type === 'reply-end').length };
}

/** The end of a model's call: its reply, or the fault that it ended with where no attempt gave one. */
interface CallEnd {
  readonly model: string;
  readonly end: Take['reply'];
}

/** The ends of all calls, each with what was asked. */
async function endsOf(events: readonly RunEvent[], cadre: CadreDefinition, store: Pick<RunStore, 'blobs'>) {
  const recorded = endsIn(events);
  const ends: (CallEnd & { readonly request: ModelRequest })[] = [];
  const replayed = await replay(events, cadre, services, {
    store,
    asked(request, path) {
      const asked = { ...request, messages: [...request.messages] };
      for (const end of recorded.get(path) ?? []) ends.push({ ...end, request: asked });
    },
  });
  if (replayed.kind === 'identical') return ends;
  return fail(
    'journal/divergence',
    `The agents are not those of the run any more, so no test can be made of it: ${replayed.difference.message}`,
  );
}

/** By the ops of the calls. Faults count only where they ended the call: there are those of each model that was tried. */
function endsIn(events: readonly RunEvent[]): ReadonlyMap<OpPath, readonly CallEnd[]> {
  const faults = new Map<OpPath, Map<string, CallEnd>>();
  const ends = new Map<OpPath, readonly CallEnd[]>();
  for (const event of events) {
    if (event.type === 'attempt') {
      const { path, fault, spent } = event;
      const tried = faults.get(path) ?? new Map<string, CallEnd>();
      const end = { type: 'reply-fault', fault, ...(spent.usage && { usage: spent.usage }) } as const;
      faults.set(path, tried.set(spent.model, { model: spent.model, end }));
    } else if (event.type === 'op-end' && event.kind === 'model') {
      const { path, result } = event;
      ends.set(path, result.ok ? [replyEnd(result.value as ModelReply)] : [...(faults.get(path)?.values() ?? [])]);
    }
  }
  return ends;
}

function replyEnd({ message, spent }: ModelReply): CallEnd {
  const { model, usage, usd } = spent;
  const finish = message.calls.length > 0 ? 'tool-calls' : 'stop';
  const cost = { ...(usage && { usage }), ...(usd !== undefined && { usd }) };
  return { model, end: { type: 'reply-end', message, finish, ...cost } };
}

/** A run that was marked as bad proposes nothing of its answer: a person knows what would be right. */
function testText(
  observed: RunObservation,
  events: readonly RunEvent[],
  {
    recording,
    files,
    isRenamed,
    notes,
    expect: worded,
  }: {
    readonly recording: string;
    /** Their paths, from the folder of the test. */
    readonly files: readonly string[];
    /** One of them has another name than its models were told. */
    readonly isRenamed: boolean;
    readonly notes: readonly RunNote[];
    readonly expect: WordedExpectation | undefined;
  },
): string {
  const start = events[0];
  if (start?.type !== 'run-start') return fail('journal/corrupt', 'The journal does not begin with run-start.');
  const { outcome, text, data, agents, tools, loops, branches, maps, totals } = observed;
  const expect = {
    outcome: outcome.kind,
    ...('fault' in outcome && { fault: outcome.fault.code }),
    ...(worded ?? (outcome.kind === 'answered' && notes[0]?.mark !== 'bad' && { answer: { equals: data ?? text } })),
    ...(agents.length > 1 && { agents: agents.map(({ name }) => name) }),
    ...(tools.length > 0 && { tools: tools.map(({ name }) => name) }),
    ...roundsOf(loops),
    ...casesOf(branches),
    ...itemsOf(maps),
    atMost: { calls: totals.calls },
    replay: 'identical',
  };
  const match = isRenamed || saysAnother(events) ? { match: 'place' } : {};
  const { input, agent } = start;
  const name = `as run ${start.run} went`;
  const { Document, isScalar, visit } = yaml();
  const written = new Document({
    agent,
    recording: `./${recording}`,
    ...match,
    ...approvedIn(events),
    cases: { [name]: { input: input.data ?? input.text, ...(files.length > 0 && { files }), expect } },
  });
  if (notes.length > 0)
    visit(written, {
      Pair(_, { key }) {
        if (isScalar(key) && key.value === name) key.commentBefore = notes.map(noteComment).join('\n');
      },
    });
  return written.toString({ lineWidth: 110 });
}

/**
 * True if the same run would say something else to its models next time: the mail of a team's participants depends on the
 * one that speaks first, and commands write times and numbers of processes.
 */
const saysAnother = (events: readonly RunEvent[]): boolean =>
  events.some(
    (event) =>
      (event.type === 'op' && event.kind === 'post') ||
      (event.type === 'op-start' && event.op.kind === 'tool' && event.op.call.name === 'run_command'),
  );

/** The tools that a person said yes to, each time that they were asked. */
function approvedIn(events: readonly RunEvent[]): { readonly approve?: readonly string[] } {
  const asked = new Map<OpPath, string>();
  const approved = new Map<string, boolean>();
  for (const event of events) {
    if (event.type === 'op-start' && event.op.kind === 'approval') {
      const { name } = (event.op.about ?? {}) as { readonly name?: unknown };
      if (typeof name === 'string') asked.set(event.path, name);
    } else if (event.type === 'op-end' && event.kind === 'approval') {
      const name = asked.get(event.path);
      const isYes = event.result.ok && (event.result.value as Verdict).approved;
      if (name !== undefined) approved.set(name, isYes && approved.get(name) !== false);
    }
  }
  const names = [...approved].flatMap(([name, isYes]) => (isYes ? [name] : []));
  return names.length === 0 ? {} : { approve: names };
}

const noteComment = ({ mark, by, at, text }: RunNote): string =>
  ` ${mark}, by ${by}, ${new Date(at).toISOString()}${text === undefined ? '' : `: ${text.replaceAll(/\s+/g, ' ')}`}`;

/** An agent whose maps went differently is left out. */
function itemsOf(maps: RunObservation['maps']): Pick<Expectation, 'items'> {
  const [only, ...others] = maps;
  if (only === undefined) return {};
  if (others.length === 0 && only.answered === only.count) return { items: only.count };
  const isSteady = ({ agent, count, answered }: ObservedMap): boolean =>
    maps.every((one) => one.agent !== agent || (one.count === count && one.answered === answered));
  const steady = maps
    .filter(isSteady)
    .map(({ agent, count, answered }): [string, ExpectedItems] => [
      agent,
      count === answered ? count : { count, answered },
    ]);
  return steady.length === 0 ? {} : { items: Object.fromEntries(steady) };
}

/** An agent whose loops went differently is left out. */
function roundsOf(loops: RunObservation['loops']): { readonly rounds?: number | Record<string, number> } {
  const [only, ...others] = loops;
  if (only === undefined) return {};
  if (others.length === 0) return { rounds: only.rounds };
  const isSteady = ({ agent, rounds }: (typeof loops)[number]): boolean =>
    loops.every((loop) => loop.agent !== agent || loop.rounds === rounds);
  const steady = loops.filter(isSteady).map(({ agent, rounds }) => [agent, rounds]);
  return steady.length === 0 ? {} : { rounds: Object.fromEntries(steady) };
}

/** The same for its branches. */
function casesOf(branches: RunObservation['branches']) {
  const written = branches.map(({ agent, cases }) => ({ agent, cases: cases.length === 1 ? (cases[0] ?? '') : cases }));
  const [only, ...others] = written;
  if (only === undefined) return {};
  if (others.length === 0) return { case: only.cases };
  const isSteady = ({ agent, cases }: (typeof written)[number]): boolean =>
    written.every((one) => one.agent !== agent || String(one.cases) === String(cases));
  const steady = written.filter(isSteady).map(({ agent, cases }) => [agent, cases]);
  return steady.length === 0 ? {} : { case: Object.fromEntries(steady) };
}
