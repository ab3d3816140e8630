// The expectations of a run, looked at one by one. Pure: the observation and the expectations go in, and every
// expectation that does not hold comes out.

import { isDeepStrictEqual } from 'node:util';
import { listViolations } from '../kernel/schema.ts';
import { schemaCheck } from '../tools/json-schema.ts';
import { valueAt } from './json-path.ts';
import type { ObservedCall, ObservedMap, RunObservation } from './run-observation.ts';
import type { AnswerExpectation, CallExpectation, Expectation, ExpectedItems } from './test-case.ts';

export interface Failure {
  /** One sentence. */
  readonly what: string;
  /** A value for a difference line by line. */
  readonly expected?: string;
  readonly received?: string;
}

export function failuresOf(observed: RunObservation, expect: Expectation): readonly Failure[] {
  const ended = endFailures(observed, expect);
  return [
    ...ended,
    ...(ended.length === 0 && expect.answer !== undefined ? answerFailures(observed, expect.answer) : []),
    ...inOrder('agent', observed.agents, expect.agents ?? []),
    ...inOrder('tool', observed.tools, expect.tools ?? []),
    ...roundFailures(observed, expect.rounds),
    ...caseFailures(observed, expect.case),
    ...itemFailures(observed, expect.items),
    ...never(observed, expect.without ?? {}),
    ...tooMuch(observed, expect.atMost ?? {}),
  ];
}

function endFailures({ outcome }: RunObservation, expect: Expectation): readonly Failure[] {
  const why = 'fault' in outcome ? ` (${outcome.fault.code}: ${outcome.fault.message})` : '';
  if (outcome.kind !== expect.outcome)
    return [{ what: `The run ended as ${outcome.kind}${why}, and ${expect.outcome} was expected.` }];
  const code = 'fault' in outcome ? outcome.fault.code : 'none';
  if (expect.fault === undefined || expect.fault === code) return [];
  return [{ what: `The fault is ${code}${why}, and ${expect.fault} was expected.` }];
}

function answerFailures(
  { text, data }: Pick<RunObservation, 'text' | 'data'>,
  answer: AnswerExpectation,
): readonly Failure[] {
  const failures: Failure[] = [];
  const { equals, contains = [], excludes = [], matches = [], json = {}, schema } = answer;
  if (equals !== undefined && !isEqual(equals, text, data))
    failures.push({
      what: 'The answer is another one.',
      expected: jsonText(equals),
      received: typeof equals === 'string' ? text : jsonText(data ?? text),
    });
  for (const part of contains)
    if (!text.includes(part)) failures.push({ what: `The answer does not contain ${quoted(part)}.`, received: text });
  for (const part of excludes)
    if (text.includes(part)) failures.push({ what: `The answer contains ${quoted(part)}.`, received: text });
  for (const pattern of matches)
    if (!new RegExp(pattern, 'su').test(text))
      failures.push({ what: `The answer does not match /${pattern}/.`, received: text });
  for (const [path, value] of Object.entries(json)) {
    const found = valueAt(data, path);
    if (!isDeepStrictEqual(found, value))
      failures.push({
        what: found === undefined ? `The answer has nothing at ${path}.` : `The answer has another value at ${path}.`,
        expected: jsonText(value),
        ...(found !== undefined && { received: jsonText(found) }),
      });
  }
  const violations = schema === undefined ? [] : schemaCheck(schema, data ?? text);
  if (violations.length > 0)
    failures.push({
      what: `The answer does not satisfy the schema:\n${listViolations(violations)}`,
      received: jsonText(data ?? text),
    });
  return failures;
}

const isEqual = (expected: unknown, text: string, data: unknown): boolean =>
  typeof expected === 'string' ? text.trim() === expected.trim() : isDeepStrictEqual(data, expected);

/** Expected calls are a part of the calls that were made, in the same order. */
function inOrder(
  noun: 'agent' | 'tool',
  made: readonly ObservedCall[],
  expected: readonly CallExpectation[],
): readonly Failure[] {
  let from = 0;
  for (const one of expected) {
    const found = made.findIndex((call, index) => index >= from && isMeant(call, one));
    if (found < 0) return [missing(noun, made, one, from)];
    from = found + 1;
  }
  return [];
}

function missing(
  noun: 'agent' | 'tool',
  made: readonly ObservedCall[],
  { name, with: given }: CallExpectation,
  from: number,
): Failure {
  const verb = noun === 'agent' ? 'asked' : 'called';
  const before = made.slice(0, from).at(-1);
  const where = before === undefined ? '' : ` after ${before.name}`;
  const what = given === undefined ? name : `${name} with ${jsonText(given)}`;
  const list = made.map((call) => `${call.name}${call.data === undefined ? '' : ` ${jsonText(call.data)}`}`);
  return {
    what: `${what} was not ${verb}${where}.`,
    received: list.length === 0 ? `No ${noun} was ${verb}.` : list.join('\n'),
  };
}

function isMeant(call: ObservedCall, { name, with: given }: CallExpectation): boolean {
  if (call.name !== name) return false;
  if (given === undefined) return true;
  if (typeof given !== 'string') return holds(call.data, given);
  return (call.text ?? jsonText(call.data)).includes(given);
}

/** An object holds another one if it has its keys with values that hold those. */
function holds(whole: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return isDeepStrictEqual(whole, part);
  if (typeof whole !== 'object' || whole === null) return false;
  return Object.entries(part).every(([key, value]) => holds((whole as Readonly<Record<string, unknown>>)[key], value));
}

function roundFailures({ loops }: RunObservation, expected: Expectation['rounds']): readonly Failure[] {
  if (expected === undefined) return [];
  const received = loops.map(({ agent, rounds }) => `${agent}: ${rounds}`).join('\n');
  if (typeof expected === 'number') {
    const [only, ...others] = loops;
    if (only === undefined) return [{ what: 'No answer was judged: no agent of the run has `repeat`.' }];
    if (others.length > 0)
      return [{ what: 'Several loops ran. Say whose rounds are meant: rounds: {writer: 2}.', received }];
    return only.rounds === expected ? [] : [wrongRounds(only, expected)];
  }
  return Object.entries(expected).flatMap(([name, rounds]): readonly Failure[] => {
    const own = loops.filter(({ agent }) => agent === name);
    if (own.length === 0) return [{ what: `No answer of ${name} was judged.`, received }];
    return own.filter((loop) => loop.rounds !== rounds).map((loop) => wrongRounds(loop, rounds));
  });
}

const wrongRounds = ({ agent, rounds }: RunObservation['loops'][number], expected: number): Failure => ({
  what: `${rounds} of the answers of ${agent} were judged, and ${expected} were expected.`,
});

function caseFailures({ branches }: RunObservation, expected: Expectation['case']): readonly Failure[] {
  if (expected === undefined) return [];
  const received = branches.map(({ agent, cases }) => `${agent}: ${cases.join(', ')}`).join('\n');
  if (typeof expected === 'string' || isCaseList(expected)) {
    const [only, ...others] = branches;
    if (only === undefined) return [{ what: 'No branch took a case: no `next` of the run that was reached has `by`.' }];
    if (others.length > 0)
      return [{ what: 'Several agents branched. Say whose case is meant: case: {sorter: refund}.', received }];
    return wrongCases(only, expected);
  }
  return Object.entries(expected).flatMap(([name, cases]): readonly Failure[] => {
    const own = branches.filter(({ agent }) => agent === name);
    if (own.length === 0) return [{ what: `No branch of ${name} took a case.`, received }];
    return own.flatMap((branch) => wrongCases(branch, cases));
  });
}

const isCaseList = (expected: object): expected is readonly string[] => Array.isArray(expected);

function wrongCases(
  { agent, cases }: RunObservation['branches'][number],
  expected: string | readonly string[],
): readonly Failure[] {
  const wanted = typeof expected === 'string' ? [expected] : expected;
  if (isDeepStrictEqual(cases, wanted)) return [];
  return [{ what: `${agent} took ${cases.join(', ')}, and ${wanted.join(', ')} was expected.` }];
}

function itemFailures({ maps }: RunObservation, expected: Expectation['items']): readonly Failure[] {
  if (expected === undefined) return [];
  const received = maps.map(({ agent, count, answered }) => `${agent}: ${answered} of ${count}`).join('\n');
  if (typeof expected === 'number') {
    const [only, ...others] = maps;
    if (only === undefined)
      return expected === 0 ? [] : [{ what: 'No item ran: no agent of the run has a map, or its list was empty.' }];
    if (others.length > 0)
      return [{ what: 'Several maps ran. Say whose items are meant: items: {outline: 12}.', received }];
    return wrongItems(only, expected);
  }
  return Object.entries(expected).flatMap(([name, items]): readonly Failure[] => {
    const own = maps.filter(({ agent }) => agent === name);
    const none = typeof items === 'number' ? items === 0 : items.count === 0;
    if (own.length === 0) return none ? [] : [{ what: `No item of ${name} ran.`, received }];
    return own.flatMap((one) => wrongItems(one, items));
  });
}

function wrongItems({ agent, count, answered }: ObservedMap, expected: ExpectedItems): readonly Failure[] {
  const { count: items = count, answered: answers = answered } =
    typeof expected === 'number' ? { count: expected, answered: expected } : expected;
  if (count === items && answered === answers) return [];
  return [
    { what: `${answered} of ${count} items of ${agent} have an answer, and ${answers} of ${items} were expected.` },
  ];
}

function never({ agents, tools }: RunObservation, without: NonNullable<Expectation['without']>): readonly Failure[] {
  const asked = (without.agents ?? []).filter((name) => agents.some((call) => call.name === name));
  const called = (without.tools ?? []).filter((name) => tools.some((call) => call.name === name));
  return [
    ...asked.map((name) => ({ what: `${name} was asked, and must not be.` })),
    ...called.map((name) => ({ what: `${name} was called, and must not be.` })),
  ];
}

function tooMuch({ totals, ms }: RunObservation, most: NonNullable<Expectation['atMost']>): readonly Failure[] {
  const tokens = totals.input + totals.output;
  const failures: Failure[] = [];
  if (most.calls !== undefined && totals.calls > most.calls)
    failures.push({ what: `It made ${totals.calls} model calls; at most ${most.calls} are allowed.` });
  if (most.tokens !== undefined && tokens > most.tokens)
    failures.push({ what: `It took ${tokens} tokens; at most ${most.tokens} are allowed.` });
  if (most.usd !== undefined && totals.unpriced > 0)
    failures.push({ what: `What it cost is unknown: ${totals.unpriced} of its calls have no price.` });
  else if (most.usd !== undefined && (totals.usd ?? 0) > most.usd)
    failures.push({ what: `It cost $${(totals.usd ?? 0).toFixed(6)}; at most $${most.usd} is allowed.` });
  if (most.timeMs !== undefined && ms > most.timeMs)
    failures.push({ what: `It took ${ms} ms; at most ${most.timeMs} are allowed.` });
  return failures;
}

export const jsonText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? 'nothing');

const quoted = (text: string): string => JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
