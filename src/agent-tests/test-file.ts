// Reads a *.test.yaml file, line-accurate, like an agent file. Knows the form of a test and nothing of how it is run.

import { dirname, resolve } from 'node:path';
import type { JsonObject } from '../base/text/json.ts';
import { jsonOf, type YamlNode } from '../base/yaml/node.ts';
import { type Diagnostic, diagnosticOf } from '../definition/diagnostic.ts';
import {
  byForm,
  choice,
  durationShape,
  flag,
  integer,
  list,
  number,
  type ReadContext,
  reportAt,
  type Shape,
  text,
  wrongValue,
} from '../definition/read/shape.ts';
import {
  jsonSchema,
  key,
  object,
  oneOrMore,
  record,
  refineShape,
  type Values,
} from '../definition/read/shape-object.ts';
import { yamlTree } from '../definition/read/yaml-tree.ts';
import { lineOf } from '../definition/source.ts';
import { OUTCOME_KINDS } from '../kernel/fault.ts';
import type {
  AnswerExpectation,
  CallExpectation,
  CaseModel,
  Expectation,
  ExpectedItems,
  TestCase,
} from './test-case.ts';

/** A case as it is written: once for each row of `each`. */
export interface WrittenCase extends TestCase {
  readonly each?: { readonly rows: readonly unknown[] } | { readonly file: string };
}

const DEFAULT_TIMEOUT_MS = 60_000;

const anything: Shape<unknown> = {
  says: 'any value',
  schema: {},
  read: (node) => jsonOf(node),
};
const texts = oneOrMore(text(), { min: 1 });

const answerKeys = {
  equals: key(anything, 'The whole answer: a text, or the JSON value.'),
  contains: key(texts, 'Texts that the answer holds.'),
  excludes: key(texts, 'Texts that the answer does not hold.'),
  matches: key(texts, 'Regular expressions that the answer matches.'),
  json: key(record(anything, /^\$/, 'a JSON path, as in $.order.total'), 'Values of a JSON answer, each by its path.'),
  schema: key(jsonSchema, 'A JSON Schema that the answer satisfies.'),
  snapshot: key(flag, 'true: the answer equals the one that cadre test --update kept.'),
};

const answerShape: Shape<AnswerExpectation> = byForm<AnswerExpectation, never, AnswerExpectation>({
  scalar: refineShape(text('the whole answer'), (equals) => ({ equals })),
  map: object(answerKeys) as Shape<AnswerExpectation>,
});

const judgeKeys = {
  agent: key(text('the name of an agent'), 'The agent of the folder that judges.', { required: true }),
  rubric: key(text(), 'The text that tells the judge which answers are good.', { required: true }),
  repeat: key(integer(1, 100), 'The number of times that it is asked.', { fallback: 1 }),
  atLeast: key(number({ min: 0, max: 1 }), 'The share of its verdicts that must be good.', { fallback: 1 }),
};

function callShape(noun: 'agent' | 'tool'): Shape<CallExpectation> {
  const keyed = refineShape(
    object({
      [noun]: key(text(`the name of ${noun === 'agent' ? 'an agent' : 'a tool'}`), `The ${noun}.`, { required: true }),
      with: key(anything, 'A part of the text that it was given, or keys and values that it was given.'),
    }),
    (values): CallExpectation | undefined => {
      const { [noun]: name, with: given } = values as Readonly<Record<string, unknown>>;
      return typeof name === 'string' ? { name, ...(given !== undefined && { with: given }) } : undefined;
    },
  );
  return byForm<CallExpectation, never, CallExpectation>({
    scalar: refineShape(text(`the name of ${noun === 'agent' ? 'an agent' : 'a tool'}`), (name) => ({ name })),
    map: keyed,
  });
}

const count = integer(1, 100);
const roundsShape = byForm<number, never, Readonly<Record<string, number>>>({
  scalar: count,
  map: record(count, /^\S+$/, 'the name of an agent'),
});

const casesShape = byForm<string, readonly string[]>({
  scalar: text('a case'),
  list: list(text('a case'), { min: 1 }),
});
const caseShape = byForm<string, readonly string[], Readonly<Record<string, string | readonly string[]>>>({
  scalar: text('a case'),
  list: list(text('a case'), { min: 1 }),
  map: record(casesShape, /^\S+$/, 'the name of an agent'),
});

const itemCount = integer(0, 1000);
const itemsShape = byForm<number, never, NonNullable<Exclude<Expectation['items'], number>>>({
  scalar: itemCount,
  map: record(
    byForm<number, never, Exclude<ExpectedItems, number>>({
      scalar: itemCount,
      map: object({
        count: key(itemCount, 'The number of items that the list had.'),
        answered: key(itemCount, 'The number of them that have an answer.'),
      }),
    }),
    /^\S+$/,
    'the name of an agent',
  ),
});

const expectKeys = {
  outcome: key(choice(OUTCOME_KINDS), 'The end of the run.', { fallback: 'answered' as const }),
  fault: key(text('the code of a fault'), 'The reason why it has no answer.'),
  answer: key(answerShape, 'The answer.'),
  judge: key(object(judgeKeys), 'An agent of the folder that judges the answer.'),
  agents: key(list(callShape('agent')), 'Agents that were asked, in this order. Others may come between them.'),
  tools: key(list(callShape('tool')), 'Tools that were called, in this order. Others may come between them.'),
  rounds: key(
    roundsShape,
    'The number of answers of an agent with `repeat` that were judged: a number, or one for each agent by its name.',
  ),
  case: key(
    caseShape,
    'The case that a branch of `next` took: a text, a list where the chain has several, or one for each agent by its name.',
  ),
  items: key(
    itemsShape,
    'The number of items that a map had, each with an answer: a number, or one for each agent by its name, or {count, answered}.',
  ),
  without: key(
    object({
      agents: key(list(text()), 'Agents that were not asked.'),
      tools: key(list(text()), 'Tools that were not called.'),
    }),
    'Calls that were not made.',
  ),
  atMost: key(
    object({
      calls: key(integer(0, 1_000_000), 'Model calls.'),
      tokens: key(integer(0, 1_000_000_000), 'Tokens, in and out.'),
      usd: key(number({ min: 0, max: 1_000_000 }), 'The cost. An unknown price does not hold.'),
      time: key(durationShape, 'From the start to the end of the run.'),
    }),
    'Upper limits.',
  ),
  replay: key(choice(['identical']), 'Its replay is identical.'),
};

const modelKeys = {
  script: key(text('the path of a script'), 'Answers in place of all models. Relative to this file.'),
  recording: key(text('the path of a recording'), 'Plays recorded answers; --live adds those that are missing.'),
  match: key(
    choice(['exact', 'place']),
    'place: of a recording, the answer to the same turn of the same session will do. For what runs at the same time.',
    { fallback: 'exact' as const },
  ),
};

const approveShape = byForm<'none' | 'all', readonly string[]>({
  scalar: choice(['none', 'all']),
  list: list(text('the name of a tool')),
});

const sharedKeys = {
  agent: key(text('the name of an agent'), 'The agent that is asked.'),
  ...modelKeys,
  approve: key(approveShape, 'Calls that are allowed where a person would be asked: none, all, or tools by name.', {
    fallback: 'none' as const,
  }),
  timeout: key(durationShape, 'The time that the run may take.', { fallback: DEFAULT_TIMEOUT_MS }),
};

const eachShape = byForm<string, readonly unknown[]>({
  scalar: text('the path of a .csv or .jsonl file'),
  list: list(
    refineShape(anything, (value, node, path, reading) =>
      node.kind === 'map' ? value : wrongValue(node, path, 'keys and values: the columns of a row', reading),
    ),
    { min: 1 },
  ),
});

const caseKeys = {
  ...sharedKeys,
  input: key(anything, 'The request to the agent: a text, or JSON for an agent that takes JSON.'),
  thread: key(list(anything, { min: 1 }), 'The messages of a conversation, one after the other.'),
  files: key(
    list(text('a path, from the folder of the test')),
    'Texts, pictures and PDF files that go with the input, or with the first message of the thread.',
  ),
  each: key(eachShape, 'Rows: the case is run once for each, with {{column}} filled in.'),
  expect: key(object(expectKeys), 'What must hold.'),
};

const NAME = /^\S.{0,200}$/;

const testFileShape = object({
  ...sharedKeys,
  cases: key(record(object(caseKeys), NAME, 'up to 200 letters on one line'), 'Each case by its name.', {
    required: true,
  }),
});

/** The keys of a test file as a JSON Schema, for the reference. */
export const testFileSchema = (): JsonObject => testFileShape.schema;

/** `shown` is the path in findings. */
export function readTestFile(
  path: string,
  shown: string,
  written: string,
): {
  readonly path: string;
  readonly text: string;
  readonly cases: readonly WrittenCase[];
  readonly findings: readonly Diagnostic[];
} {
  const findings: Diagnostic[] = [];
  const source = { file: shown, text: written };
  const reading: ReadContext = {
    source,
    folder: dirname(path),
    report: (finding) => findings.push(diagnosticOf(finding)),
  };
  const root = yamlTree(source, written, 0, reading.report);
  const file = root === undefined ? undefined : testFileShape.read(root, '', reading);
  const cases = root?.kind === 'map' && file?.cases !== undefined ? caseNodes(root) : [];
  return {
    path,
    text: written,
    findings,
    cases: cases.flatMap(([name, node]) => {
      const values = file?.cases?.[name];
      return values === undefined ? [] : (caseOf({ name, node, values }, file ?? {}, path, reading) ?? []);
    }),
  };
}

function caseNodes(root: Extract<YamlNode, { kind: 'map' }>): readonly (readonly [string, YamlNode])[] {
  const node = root.entries.get('cases')?.value;
  return node?.kind === 'map' ? [...node.entries.values()].map((entry) => [entry.key, entry.value] as const) : [];
}

function caseOf(
  { name, node, values }: { readonly name: string; readonly node: YamlNode; readonly values: Values<typeof caseKeys> },
  shared: Values<typeof testFileShape.keys> & Values<typeof sharedKeys>,
  path: string,
  reading: ReadContext,
): WrittenCase | undefined {
  const say = (message: string, help: string): undefined => {
    reportAt(node, reading, { code: 'key/missing', message, help });
    return undefined;
  };
  const agent = values.agent ?? shared.agent;
  if (agent === undefined)
    return say(`\`cases.${name}\` names no agent`, 'Add agent: <name>, here or at the top of the file.');
  if ((values.input === undefined) === (values.thread === undefined))
    return say(
      `\`cases.${name}\` has ${values.input === undefined ? 'no input' : 'both input and thread'}`,
      'Give it one: input: …, or thread: [ …, … ].',
    );
  const model = modelOf(values, path) ?? modelOf(shared, path) ?? { kind: 'own' };
  const { each } = values;
  return {
    name,
    file: reading.source.file,
    line: lineOf(reading.source, node),
    agent,
    inputs: values.thread ?? [values.input],
    ...(values.files && { files: values.files.map((file) => resolve(dirname(path), file)) }),
    model,
    approve: values.approve ?? shared.approve ?? 'none',
    timeoutMs: values.timeout ?? shared.timeout ?? DEFAULT_TIMEOUT_MS,
    expect: expectationOf(values.expect),
    ...(typeof each === 'string' && { each: { file: resolve(dirname(path), each) } }),
    ...(Array.isArray(each) && { each: { rows: each as readonly unknown[] } }),
  };
}

function modelOf(
  { script, recording, match = 'exact' }: Values<typeof modelKeys>,
  path: string,
): CaseModel | undefined {
  if (script !== undefined) return { kind: 'script', file: resolve(dirname(path), script) };
  if (recording !== undefined) return { kind: 'recording', file: resolve(dirname(path), recording), match };
  return undefined;
}

function expectationOf(written: Values<typeof expectKeys> = {}): Expectation {
  const { outcome = written.fault === undefined ? 'answered' : 'failed', judge, atMost, ...rest } = written;
  const { time, ...amounts } = atMost ?? {};
  return {
    ...rest,
    outcome,
    ...(atMost !== undefined && { atMost: { ...amounts, ...(time !== undefined && { timeMs: time }) } }),
    ...(judge?.agent !== undefined &&
      judge.rubric !== undefined && {
        judge: { agent: judge.agent, rubric: judge.rubric, repeat: judge.repeat ?? 1, atLeast: judge.atLeast ?? 1 },
      }),
  } as Expectation;
}
