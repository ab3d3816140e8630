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
      if (signIn !== undefined)
        return alone(() => askSignIn({ prompt, wanted: signIn, signsIn }, signal, () => interrupted(run)));
      const question = { prompt, about, elsewhere: `cadre approve ${run} ${op}` };
      return alone(() => ask(question, signal, () => interrupted(run)));
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

/** Undefined if the question went away: the run ends, or a person elsewhere has decided. */
async function ask(
  {
    prompt,
    about,
    elsewhere,
  }: {
    readonly prompt: string;
    /** The call, and what it would do. */
    readonly about: unknown;
    /** The command that answers it from another terminal. */
    readonly elsewhere: string;
  },
  signal: AbortSignal,
  interrupted: () => void,
): Promise<Verdict | undefined> {
  const { note } = await import('@clack/prompts');
  const asked = questionIn(about);
  if (asked !== undefined) return answer({ asked, prompt, elsewhere }, signal, interrupted);
  note(painted(questionLines(about)), oneLine(prompt), { output: process.stderr });
  const early = await timeToRead(process, signal);
  if (signal.aborted) return undefined;
  const key = early ?? (await askKey(`Allow this call? (elsewhere: ${elsewhere})`, answersTo(about), process, signal));
  if (signal.aborted) return undefined;
  if (key === INTERRUPT_KEY) {
    interrupted();
    return UNANSWERED;
  }
  switch (key) {
    case 'y':
      return { approved: true, ...saidBy() };
    case 'r':
      return { approved: true, scope: 'run', ...saidBy() };
    case 'n':
      return { approved: false, note: 'A person said no.', ...saidBy() };
    case 'w':
      return whyNot(signal, interrupted);
  }
}

/** A form of several fields. An empty line takes the default, or leaves the field out. */
async function fieldByField(
  fields: readonly FormField[],
  elsewhere: string,
  signal: AbortSignal,
  interrupted: () => void,
): Promise<Verdict | undefined> {
  const answers: Record<string, unknown> = {};
  const early = await timeToRead(process, signal);
  const fills = early ?? (await askKey(`Fill it in? (elsewhere: ${elsewhere})`, FILLS, process, signal));
  if (signal.aborted) return undefined;
  if (fills === INTERRUPT_KEY) {
    interrupted();
    return UNANSWERED;
  }
  if (fills === 'n') return { approved: false, note: 'A person declined.', ...saidBy() };
  for (const field of fields) {
    const given = await askField(field, signal);
    if (signal.aborted) return undefined;
    if (given === INTERRUPT_KEY) {
      interrupted();
      return UNANSWERED;
    }
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
  {
    prompt,
    wanted,
    signsIn,
  }: { readonly prompt: string; readonly wanted: WantedSignIn; readonly signsIn: SignsIn | undefined },
  signal: AbortSignal,
  interrupted: () => void,
): Promise<Verdict | undefined> {
  const { note } = await import('@clack/prompts');
  note(painted(signInLines(wanted)), oneLine(prompt), { output: process.stderr });
  const early = await timeToRead(process, signal);
  if (signal.aborted) return undefined;
  const here = { value: 's', label: 'sign in here' } as const;
  const key =
    early ??
    (await askKey(
      `Sign in? (elsewhere: ${signInCommand({ server: wanted.server })})`,
      [
        { value: 'n', label: 'no' },
        ...(signsIn === undefined ? [] : [here]),
        { value: 't', label: 'try again: it was done elsewhere' },
      ],
      process,
      signal,
    ));
  if (signal.aborted) return undefined;
  if (key === INTERRUPT_KEY) {
    interrupted();
    return UNANSWERED;
  }
  if (key === 't') return { approved: true, ...saidBy() };
  if (key === 'n' || signsIn === undefined) return { approved: false, note: 'A person said no.', ...saidBy() };
  const stop = new AbortController();
  const giveUp = (): void => stop.abort(new Error('The sign-in was given up.'));
  process.once('SIGINT', giveUp);
  try {
    await signsIn(wanted, AbortSignal.any([signal, stop.signal]));
    return { approved: true, ...saidBy() };
  } catch (thrown) {
    return signal.aborted ? undefined : { approved: false, note: faultOf(thrown).message, ...saidBy() };
  } finally {
    process.off('SIGINT', giveUp);
  }
}

async function whyNot(signal: AbortSignal, interrupted: () => void): Promise<Verdict | undefined> {
  const why = await askLine('Why not? The agent reads this.', process, signal);
  if (signal.aborted) return undefined;
  if (why === INTERRUPT_KEY) {
    interrupted();
    return UNANSWERED;
  }
  return { approved: false, note: why.trim() === '' ? 'A person said no.' : why.trim(), ...saidBy() };
}

/** A question of ask_person: one of its options, or a line. A line that is left empty declines to answer. */
async function answer(
  { asked, prompt, elsewhere }: { readonly asked: PersonQuestion; readonly prompt: string; readonly elsewhere: string },
  signal: AbortSignal,
  interrupted: () => void,
): Promise<Verdict | undefined> {
  const { note } = await import('@clack/prompts');
  const { options, fields = [] } = asked;
  const title = oneLine(fields.length > 0 ? (prompt.split(' asks:', 1)[0] ?? '') : prompt.split(' ', 2).join(' '));
  note(painted(personLines(options === undefined ? asked : { question: asked.question })), title, {
    output: process.stderr,
  });
  if (fields.length > 1)
    return fieldByField(fields, `${elsewhere} --answer '${exampleAnswer(fields)}'`, signal, interrupted);
  const message = `Your answer? (elsewhere: ${elsewhere} --answer …)`;
  const early = await timeToRead(process, signal);
  if (signal.aborted) return undefined;
  const given =
    early ??
    (options === undefined
      ? await askLine(message, process, signal)
      : await askOne(message, [...options.map(oneLine), 'I do not answer this'], process, signal));
  if (signal.aborted) return undefined;
  if (given === INTERRUPT_KEY) {
    interrupted();
    return UNANSWERED;
  }
  const text = typeof given === 'number' ? options?.[given] : given.trim();
  if (text === undefined || text === '') return { approved: false, note: 'The person did not answer it.', ...saidBy() };
  return { approved: true, answer: text, ...saidBy() };
}
