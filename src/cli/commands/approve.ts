// cadre approvals and cadre approve: list what waits for a person in any run of the store, and answer it.

import type { Engine } from '../../engine/engine.ts';
import { newMessage } from '../../engine/handle.ts';
import { openEngine } from '../../engine/open.ts';
import { approvalsOf, type ShownApproval } from '../../engine/remote/waiting-approvals.ts';
import type { RunId } from '../../journal/event.ts';
import type { RunStore, RunSummary } from '../../journal/store.ts';
import { restWords } from '../../kernel/approval.ts';
import type { Verdict } from '../../kernel/effect.ts';
import { EXIT, fail } from '../../kernel/fault.ts';
import { questionIn } from '../../kernel/person.ts';
import { exampleAnswer } from '../../kernel/server-question.ts';
import { signInCommand, signInIn } from '../../kernel/sign-in.ts';
import { verdictText } from '../../kernel/verdict-words.ts';
import { decidedText } from '../../run/verdict-fault.ts';
import { moment } from '../../views/amounts.ts';
import { questionLines } from '../../views/asking/question-lines.ts';
import { findWholeRun } from '../lookup/find-run.ts';
import { type StoreOptions, storeHere } from '../lookup/store-place.ts';
import { askKey } from '../person/question.ts';
import { paintedLines } from '../render/painted-lines.ts';
import { oneLine } from '../render/width.ts';
import { notify, print, printJson } from '../screen/output.ts';
import { namesHere, saidBy } from '../screen/reader.ts';
import { paintFor } from '../screen/terminal.ts';

export interface ApproveOptions extends StoreOptions {
  readonly deny?: boolean;
  readonly note?: string;
  readonly rest?: boolean;
  readonly answer?: string;
  /** The digest that `cadre approvals` names, or its beginning. */
  readonly seen?: string;
}

interface ListedQuestion extends ShownApproval {
  readonly run: RunId;
  readonly agent: string;
  readonly state: RunSummary['state'];
  /** It waits for a worker, which will take the verdict. */
  readonly queued?: true;
  /** The decision of a person, if the run has not taken it. */
  readonly verdict?: Verdict;
}

export async function approvals(options: StoreOptions & { readonly json?: boolean }): Promise<number> {
  const { engine, store } = await opened(options);
  const found = await allWaiting(engine, store);
  if (options.json === true) printJson(JSON.stringify(found, null, 2));
  else if (found.length === 0) notify('Nothing waits for a person.');
  else print(found.map(shown).join('\n\n'));
  return EXIT.answered;
}

/** Without an op, answers the only one that waits: its question is shown first, and the answer is about that. */
export async function approve(asked: string, op: string | undefined, options: ApproveOptions): Promise<number> {
  refuseTwoAnswers(options);
  const { engine, store } = await opened(options);
  const run = await findWholeRun(asked, store);
  const only = op === undefined ? await onlyOne(run, store) : undefined;
  const path = op ?? only?.path ?? '';
  if (only !== undefined && !(await isMeant(only, options))) return EXIT.cancelled;
  const answer = options.answer === undefined ? undefined : await answerTo(options.answer, path, run, store);
  const approved = options.deny !== true;
  const note = options.note ?? (approved ? undefined : 'A person said no.');
  const verdict = newMessage({
    kind: 'verdict',
    op: path,
    approved,
    ...(note !== undefined && { note }),
    ...(options.rest === true && { scope: 'run' }),
    ...(answer !== undefined && { answer }),
    ...seenOf(options, only),
    ...saidBy(),
  });
  const accepted = await engine.control(run, verdict);
  const rest = options.rest === true ? ', also for the rest of the run' : '';
  const how = answer === undefined ? (approved ? 'approved' : 'denied') : 'answered';
  print(`${run}  ${path}  ${how}${rest}`);
  if (accepted === 'waits') {
    const { queued } = await store.summary(run);
    const when = queued === true ? 'a worker takes the run' : `it is resumed: cadre resume ${run}`;
    notify(`No process works on it now; the answer counts when ${when}`);
  }
  return EXIT.answered;
}

/** The digest of the question that was shown here, unless the person names one that they saw elsewhere. */
function seenOf({ seen }: ApproveOptions, only: ShownApproval | undefined): { readonly seen?: string } {
  const given = seen ?? only?.digest;
  return given === undefined ? {} : { seen: given };
}

/** Shows the question. In a terminal a yes is asked for; a script has said it with the command. */
async function isMeant(only: ShownApproval, options: ApproveOptions): Promise<boolean> {
  const paint = paintFor(process.stdout);
  print(
    [oneLine(only.prompt), ...paintedLines(questionLines(only.about), paint).map((line) => `  ${line}`)].join('\n'),
  );
  const isAnswered = options.deny === true || options.answer !== undefined || questionIn(only.about) !== undefined;
  if (isAnswered || !process.stdin.isTTY || !process.stderr.isTTY) return true;
  const rest = options.rest === true ? `, and ${oneLine(restWords(only.about))}` : '';
  const key = await askKey(
    `Allow this call${rest}?`,
    [
      { value: 'n', label: 'not now' },
      { value: 'y', label: 'yes' },
    ],
    process,
    new AbortController().signal,
  );
  if (key === 'y') return true;
  notify('Nothing was answered: it still waits.');
  return false;
}

function refuseTwoAnswers({ deny, rest, answer }: ApproveOptions): void {
  const given = [deny && '--deny', rest && '--rest', answer !== undefined && '--answer'].filter(Boolean);
  if (given.length > 1) fail('usage', `${given.join(' and ')} are different answers. Give one of them.`);
}

/** A number stands for the option of that number. */
async function answerTo(given: string, op: string, run: RunId, store: RunStore): Promise<string> {
  const { waiting } = await approvalsOf(run, store);
  const { options = [] } = questionIn(waiting.find(({ path }) => path === op)?.about) ?? {};
  if (options.includes(given) || !/^\d+$/.test(given)) return given;
  return options[Number(given) - 1] ?? given;
}

async function opened(options: StoreOptions): Promise<{ readonly engine: Engine; readonly store: RunStore }> {
  const { place, store } = await storeHere(options);
  return { engine: await openEngine(undefined, { store, dir: place.dir, warn: notify }), store };
}

async function allWaiting(engine: Engine, store: RunStore): Promise<readonly ListedQuestion[]> {
  const found: ListedQuestion[] = [];
  let before: string | undefined;
  do {
    const page = await engine.runs({ waiting: true, ...(before !== undefined && { before }) });
    for (const { run, agent, state, queued } of page.items) {
      const { waiting, untaken } = await approvalsOf(run, store);
      const whose = { run, agent, state, ...(queued && { queued }) };
      for (const one of [...waiting, ...untaken]) found.push({ ...whose, ...one });
    }
    before = page.next;
  } while (before !== undefined);
  return found.sort((left, right) => left.at - right.at);
}

function shown({ run, agent, state, queued, path, prompt, about, digest, at, verdict }: ListedQuestion): string {
  const paint = paintFor(process.stdout);
  const isAtWork = state === 'running';
  const where = isAtWork ? '' : queued === true ? ', waits for a worker' : `, broken off: cadre resume ${run}`;
  const since = `${agent}, since ${moment(at, Date.now())}${where}`;
  const ways =
    verdict === undefined
      ? waysToAnswer(`${run} ${path} --seen ${digest.slice(0, SHOWN_OF_DIGEST)}`, about)
      : [`${verdictText(verdict, namesHere())}, not taken yet`];
  return [
    `${oneLine(prompt)}  ${paint('faint', since)}`,
    ...paintedLines(questionLines(about), paint).map((line) => `  ${line}`),
    ...ways.map((way) => `  ${paint('faint', oneLine(way))}`),
  ].join('\n');
}

/** Enough of it to name what was shown. */
const SHOWN_OF_DIGEST = 12;

function waysToAnswer(what: string, about: unknown): readonly string[] {
  const command = `cadre approve ${what}`;
  const asked = questionIn(about);
  const signIn = signInIn(about);
  if (signIn !== undefined) return [signInCommand({ server: signIn.server }), `${command} tries again`];
  if (asked === undefined) return [command, `--rest also says yes to ${oneLine(restWords(about))}`];
  if (asked.fields !== undefined && asked.options === undefined)
    return [`${command} --answer '${exampleAnswer(asked.fields)}'`];
  return [`${command} --answer ${asked.options === undefined ? '"…"' : '<its text or number>'}`];
}

async function onlyOne(run: RunId, store: RunStore): Promise<ShownApproval> {
  const { waiting, decided } = await approvalsOf(run, store);
  const [first, ...others] = waiting;
  const latest = [...decided].at(-1);
  if (first === undefined && latest !== undefined) fail('approval/decided', decidedText(...latest));
  if (first === undefined) fail('approval/unknown', `Nothing in run ${run} waits for a person.`);
  if (others.length === 0) return first;
  const ways = waiting.map(({ path, prompt }) => `  cadre approve ${run} ${path}    ${oneLine(prompt)}`);
  return fail('usage', `${waiting.length} calls of run ${run} wait for a person. Name one:\n${ways.join('\n')}`);
}
