// cadre approvals and cadre approve: list what waits for a person in any run of the store, and answer it.

import { said } from '../../engine/handle.ts';
import { type OpenedEngine, openEngine } from '../../engine/open.ts';
import { approvalsOf } from '../../engine/reach/waiting-approvals.ts';
import { decidedText } from '../../engine/run/verdicts.ts';
import type { RunId } from '../../journal/event.ts';
import type { RunStore, RunSummary } from '../../journal/store.ts';
import { restWords } from '../../kernel/approval.ts';
import { EXIT, fail } from '../../kernel/fault.ts';
import { moment } from '../../views/amounts.ts';
import type { WaitingApproval } from '../../views/approvals.ts';
import { namedRun } from '../named/named-run.ts';
import { openStore, type StoreOptions, storeFromHere } from '../named/store-place.ts';
import { saidBy } from '../person/person.ts';
import { questionText } from '../render/preview-text.ts';
import { oneLine } from '../render/width.ts';
import { print, printJson, tell } from '../screen/out.ts';
import { paintFor } from '../screen/terminal.ts';

export interface ApprovalsOptions extends StoreOptions {
  readonly json?: boolean;
}

export interface ApproveOptions extends StoreOptions {
  readonly deny?: boolean;
  readonly note?: string;
  readonly rest?: boolean;
}

interface Waiting extends WaitingApproval {
  readonly run: RunId;
  readonly agent: string;
  readonly state: RunSummary['state'];
}

export async function approvals(options: ApprovalsOptions): Promise<number> {
  const { engine, store } = await opened(options);
  const found = await allWaiting(engine, store);
  if (options.json === true) printJson(JSON.stringify(found, null, 2));
  else if (found.length === 0) tell('Nothing waits for a person.');
  else print(found.map(shown).join('\n\n'));
  return EXIT.answered;
}

/** Without an op, answers the only one that waits. */
export async function approve(asked: string, op: string | undefined, options: ApproveOptions): Promise<number> {
  if (options.deny === true && options.rest === true)
    fail('usage', '--rest says yes for the rest of the run, and --deny says no. Give one of them.');
  const { engine, store } = await opened(options);
  const run = await namedRun(asked, store);
  const path = op ?? (await onlyOne(run, store));
  const approved = options.deny !== true;
  const note = options.note ?? (approved ? undefined : 'A person said no.');
  const verdict = said({
    kind: 'verdict',
    op: path,
    approved,
    ...(note !== undefined && { note }),
    ...(options.rest === true && { scope: 'run' }),
    ...saidBy(),
  });
  const accepted = await engine.control(run, verdict);
  const rest = options.rest === true ? ', also for the rest of the run' : '';
  print(`${run}  ${path}  ${approved ? 'approved' : 'denied'}${rest}`);
  if (accepted === 'waits')
    tell(`No process works on it now; the answer counts when it is resumed: cadre resume ${run}`);
  return EXIT.answered;
}

async function opened(options: StoreOptions): Promise<{ readonly engine: OpenedEngine; readonly store: RunStore }> {
  const place = await storeFromHere(options);
  const store = openStore(place, tell);
  return { engine: await openEngine(undefined, { store, dir: place.dir, warn: tell }), store };
}

async function allWaiting(engine: OpenedEngine, store: RunStore): Promise<readonly Waiting[]> {
  const found: Waiting[] = [];
  let before: string | undefined;
  do {
    const page = await engine.runs({ waiting: true, ...(before !== undefined && { before }) });
    for (const { run, agent, state } of page.items) {
      const { waiting } = await approvalsOf(run, store);
      for (const one of waiting) found.push({ run, agent, state, ...one });
    }
    before = page.next;
  } while (before !== undefined);
  return found.sort((left, right) => left.at - right.at);
}

function shown({ run, agent, state, path, prompt, about, at }: Waiting): string {
  const paint = paintFor(process.stdout);
  const since = `${agent}, since ${moment(at, Date.now())}${state === 'running' ? '' : `, broken off: cadre resume ${run}`}`;
  return [
    `${oneLine(prompt)}  ${paint('faint', since)}`,
    ...questionText(about, paint)
      .split('\n')
      .map((line) => `  ${line}`),
    `  ${paint('faint', `cadre approve ${run} ${path}`)}`,
    `  ${paint('faint', `--rest also says yes to ${oneLine(restWords(about))}`)}`,
  ].join('\n');
}

async function onlyOne(run: RunId, store: RunStore): Promise<string> {
  const { waiting, decided } = await approvalsOf(run, store);
  const [first, ...others] = waiting;
  const latest = [...decided].at(-1);
  if (first === undefined && latest !== undefined) fail('approval/decided', decidedText(...latest));
  if (first === undefined) fail('approval/unknown', `Nothing in run ${run} waits for a person.`);
  if (others.length === 0) return first.path;
  const ways = waiting.map(({ path, prompt }) => `  cadre approve ${run} ${path}    ${oneLine(prompt)}`);
  return fail('usage', `${waiting.length} calls of run ${run} wait for a person. Name one:\n${ways.join('\n')}`);
}
