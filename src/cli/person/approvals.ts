// A person's yes to a tool call: given beforehand with --approve, asked for in a terminal, and denied without one.
// There is one question at a time, and the live view rests meanwhile. After Ctrl+C at a question no further one is
// asked in the same run.

import { isBuiltIn, sourceAsks } from '../../definition/built-in-tools.ts';
import type { RunId } from '../../journal/event.ts';
import { type AskedCall, previewOf, restWords } from '../../kernel/approval.ts';
import type { Verdict } from '../../kernel/effect.ts';
import { faultOf } from '../../kernel/fault.ts';
import { type PersonQuestion, questionIn } from '../../kernel/person.ts';
import { exampleAnswer, type FormField, fieldValue, fieldWords } from '../../kernel/server-question.ts';
import { signInCommand, signInIn, type WantedSignIn } from '../../kernel/sign-in.ts';
import { type Approver, nobodyThere } from '../../run/approver.ts';
import { personLines, type QuestionLine, questionLines, signInLines } from '../../views/asking/question-lines.ts';
import { paintedLines } from '../render/painted-lines.ts';
import { oneLine } from '../render/width.ts';
import { notify } from '../screen/output.ts';
import { saidBy } from '../screen/reader.ts';
import { paintFor, restyle } from '../screen/terminal.ts';
import { askKey, askLine, askOne, type Choice, INTERRUPT_KEY, timeToRead } from './question.ts';

/** `true` is yes to all; the others name tools (`echo`), tools of a source (`mcp:every/echo`), or sources. */
export type Beforehand = true | readonly string[];

export interface Questions {
  readonly canAsk: boolean;
  /** Runs the work with the screen to itself. */
  alone<Value>(ask: () => Promise<Value>): Promise<Value>;
  notice(text: string): void;
}

/** Signs in to a server of the cadre, in this terminal. */
type SignsIn = (wanted: WantedSignIn, signal: AbortSignal) => Promise<void>;

export function approver(beforehand: Beforehand, questions: () => Questions, signsIn?: SignsIn): Approver {
  let queue: Promise<unknown> = Promise.resolve();
  let interruptedRun: RunId | undefined;
  const interrupted = (run: RunId): void => {
    interruptedRun = run;
    process.emit('SIGINT'); // a prompt takes the keyboard, so Ctrl+C arrives there and not as a signal
  };
  return (prompt, about, signal, { run, op }) => {
    const { source } = sourced(about);
    const isQuestion = questionIn(about) !== undefined;
    if (isYesBeforehand(beforehand, about)) {
      return Promise.resolve({ approved: true, note: 'Approved beforehand with --approve.' });
    }
    const { canAsk, alone, notice } = questions();
    const signIn = signInIn(about);
    if (signIn !== undefined && !canAsk) {
      notice(`not signed in: ${prompt} (${signInCommand(signIn)}, and with --detach the run waits for it)`);
      return nobodyThere(prompt, about, signal, { run, op });
    }
    if (!canAsk && isQuestion) {
      notice(
        `not answered: ${prompt} Nobody is there to answer (with --detach the run waits for cadre approve --answer)`,
      );
      return nobodyThere(prompt, about, signal, { run, op });
    }
    if (!canAsk) {
      const ways = `--approve ${source} says yes beforehand${trustedInstead(source, about)}, and with --detach the run waits for cadre approve`;
      notice(`denied: ${prompt}, and nobody is there to approve it (${ways})`);
      return nobodyThere(prompt, about, signal, { run, op });
    }
    const asked = queue.then(() => {
      if (signal.aborted) return undefined;
      if (interruptedRun === run) return ENDING;
      const asking = { signal, elsewhere: `cadre approve ${run} ${op}`, interrupted: () => interrupted(run) };
      const verdict = (): Promise<Verdict> =>
        signIn === undefined ? ask(prompt, about, asking) : askSignIn(prompt, signIn, signsIn, asking);
      return alone(() => verdict().catch(unlessUnanswered));
    });
    queue = asked.then(recorded, () => {}); // the caller of this question sees the fault; the next question is asked anyway
    return asked;
  };
}

function sourced(about: unknown): { readonly name: string; readonly source: string } {
  const { name = '', source = name } = about as Partial<AskedCall>;
  return { name, source };
}

/** A question in words has no yes. */
export function isYesBeforehand(beforehand: Beforehand, about: unknown): boolean {
  if (questionIn(about) !== undefined || signInIn(about) !== undefined) return false;
  const { name, source } = sourced(about);
  return beforehand === true || beforehand.some((entry) => isYesTo(entry, name, source));
}

/** A verdict may answer the next question too, which it does once it is recorded. */
const recorded = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** An entry that names a source is never a yes to a tool of another source. */
function isYesTo(entry: string, name: string, source: string): boolean {
  if (!isSourced(entry)) return entry === name || entry === lastPart(source);
  const [from] = source.split('/', 1);
  return entry === source || entry === from || entry === `${from}/${name}`;
}

/** True if it names a source: `mcp:docs/search`, `mcp:docs`, `rest:weather`, `files/read_file`, `files`, `shell`. */
export const isSourced = (name: string): boolean => /^(?:mcp:|rest:)/.test(name) || isBuiltIn(sourceOf(name));

export const lastPart = (name: string): string => name.slice(Math.max(name.lastIndexOf('/'), name.indexOf(':')) + 1);

const sourceOf = (name: string): string => name.split('/', 1)[0] ?? name;

/** The other way out, for a tool that asks by default. */
const trustedInstead = (source: string, about: unknown): string =>
  sourceAsks(sourceOf(source)) && previewOf(about)?.always !== true
    ? `, trust: [${sourceOf(source)}] in the agent's file does so always`
    : '';

const ENDING: Verdict = { approved: false, absent: true, note: 'The run is ending, so nobody was asked.' };
const UNANSWERED: Verdict = { approved: false, absent: true, note: 'The person did not answer.' };

const painted = (lines: readonly QuestionLine[]): string =>
  restyle(paintedLines(lines, paintFor(process.stderr)).join('\n'));

/** A yes for the rest of the run is no answer of its own where any yes is one. */
export function answersTo(
  about: unknown,
): readonly [Choice<'n' | 'y' | 'r' | 'w'>, ...Choice<'n' | 'y' | 'r' | 'w'>[]] {
  const rest = { value: 'r', label: `yes for the rest of this run, to ${oneLine(restWords(about))}` } as const;
  return [
    { value: 'n', label: 'no' },
    { value: 'y', label: 'yes' },
    ...(previewOf(about)?.rest?.once === true ? [] : [rest]),
    { value: 'w', label: 'no, and say why' },
  ];
}

/** A question at this terminal. It goes away if the run ends, or a person elsewhere has decided. */
interface Asking {
  readonly signal: AbortSignal;
  /** The command that answers it from another terminal. */
  readonly elsewhere: string;
  /** Ctrl+C was pressed at it. */
  interrupted(): void;
}

/** Thrown where nobody has answered. Without a verdict the question went away. */
class Unanswered extends Error {
  readonly verdict: Verdict | undefined;

  constructor(verdict?: Verdict) {
    super('The question has no answer.');
    this.verdict = verdict;
  }
}

function unlessUnanswered(thrown: unknown): Verdict | undefined {
  if (thrown instanceof Unanswered) return thrown.verdict;
  throw thrown;
}

async function heard<Given>(given: Promise<Given | typeof INTERRUPT_KEY>, asking: Asking): Promise<Given> {
  const answer = await given;
  if (asking.signal.aborted) throw new Unanswered();
  if (answer !== INTERRUPT_KEY) return answer as Given;
  asking.interrupted();
  throw new Unanswered(UNANSWERED);
}

/** Draws the question above its choices, and gives the time to read it. */
async function shown(lines: readonly QuestionLine[], title: string, asking: Asking): Promise<void> {
  const { note } = await import('@clack/prompts');
  note(painted(lines), title, { output: process.stderr });
  await heard(timeToRead(process, asking.signal), asking);
}

const SAID_NO = 'A person said no.';

async function ask(prompt: string, about: unknown, asking: Asking): Promise<Verdict> {
  const asked = questionIn(about);
  if (asked !== undefined) return answer(asked, prompt, asking);
  await shown(questionLines(about), oneLine(prompt), asking);
  const message = `Allow this call? (elsewhere: ${asking.elsewhere})`;
  switch (await heard(askKey(message, answersTo(about), process, asking.signal), asking)) {
    case 'y':
      return { approved: true, ...saidBy() };
    case 'r':
      return { approved: true, scope: 'run', ...saidBy() };
    case 'n':
      return { approved: false, note: SAID_NO, ...saidBy() };
    case 'w': {
      const why = await heard(askLine('Why not? The agent reads this.', process, asking.signal), asking);
      return { approved: false, note: why.trim() || SAID_NO, ...saidBy() };
    }
  }
}

/** A form of several fields. An empty line takes the default, or leaves the field out. */
async function fieldByField(fields: readonly FormField[], asking: Asking): Promise<Verdict> {
  const answers: Record<string, unknown> = {};
  const elsewhere = `${asking.elsewhere} --answer '${exampleAnswer(fields)}'`;
  const fills = await heard(askKey(`Fill it in? (elsewhere: ${elsewhere})`, FILLS, process, asking.signal), asking);
  if (fills === 'n') return { approved: false, note: 'A person declined.', ...saidBy() };
  for (const field of fields) {
    const given = await heard(askField(field, asking.signal), asking);
    if (given !== undefined) answers[field.name] = given;
  }
  return { approved: true, answer: JSON.stringify(answers), ...saidBy() };
}

const FILLS = [
  { value: 'y', label: 'yes' },
  { value: 'n', label: 'no, decline' },
] as const;

/** Asks again until the value is one of the field. */
async function askField(field: FormField, signal: AbortSignal): Promise<unknown> {
  const { name, type, isRequired, options, fallback } = field;
  if (type === 'one of') {
    const labels = [...options.map(oneLine), ...(isRequired ? [] : ['leave it out'])];
    const chosen = await askOne(oneLine(name), labels, process, signal);
    return typeof chosen === 'number' ? options[chosen] : chosen;
  }
  for (;;) {
    const given = await askLine(oneLine(fieldWords(field)), process, signal);
    if (typeof given !== 'string' || signal.aborted) return given;
    if (given.trim() === '' && (fallback !== undefined || !isRequired)) return undefined;
    const read = fieldValue(field, given);
    if (read.ok) return read.content[name];
    notify(read.problem);
  }
}

/** A sign-in is done here, or somewhere else. */
async function askSignIn(
  prompt: string,
  wanted: WantedSignIn,
  signsIn: SignsIn | undefined,
  asking: Asking,
): Promise<Verdict> {
  const { signal } = asking;
  await shown(signInLines(wanted), oneLine(prompt), asking);
  const here = { value: 's', label: 'sign in here' } as const;
  const choices: readonly [Choice<'n' | 's' | 't'>, ...Choice<'n' | 's' | 't'>[]] = [
    { value: 'n', label: 'no' },
    ...(signsIn === undefined ? [] : [here]),
    { value: 't', label: 'try again: it was done elsewhere' },
  ];
  const message = `Sign in? (elsewhere: ${signInCommand({ server: wanted.server })})`;
  const key = await heard(askKey(message, choices, process, signal), asking);
  if (key === 't') return { approved: true, ...saidBy() };
  if (key === 'n' || signsIn === undefined) return { approved: false, note: SAID_NO, ...saidBy() };
  const stop = new AbortController();
  const giveUp = (): void => stop.abort(new Error('The sign-in was given up.'));
  process.once('SIGINT', giveUp);
  try {
    await signsIn(wanted, AbortSignal.any([signal, stop.signal]));
    return { approved: true, ...saidBy() };
  } catch (thrown) {
    if (signal.aborted) throw new Unanswered();
    return { approved: false, note: faultOf(thrown).message, ...saidBy() };
  } finally {
    process.off('SIGINT', giveUp);
  }
}

/** A question of ask_person: one of its options, or a line. A line that is left empty declines to answer. */
async function answer(asked: PersonQuestion, prompt: string, asking: Asking): Promise<Verdict> {
  const { options, fields = [] } = asked;
  const { signal, elsewhere } = asking;
  const title = oneLine(fields.length > 0 ? (prompt.split(' asks:', 1)[0] ?? '') : prompt.split(' ', 2).join(' '));
  const lines = personLines(options === undefined ? asked : { question: asked.question });
  await shown(lines, title, asking);
  if (fields.length > 1) return fieldByField(fields, asking);
  const message = `Your answer? (elsewhere: ${elsewhere} --answer …)`;
  const given = await heard<string | number>(
    options === undefined
      ? askLine(message, process, signal)
      : askOne(message, [...options.map(oneLine), 'I do not answer this'], process, signal),
    asking,
  );
  const text = typeof given === 'number' ? options?.[given] : given.trim();
  if (text === undefined || text === '') return { approved: false, note: 'The person did not answer it.', ...saidBy() };
  return { approved: true, answer: text, ...saidBy() };
}
