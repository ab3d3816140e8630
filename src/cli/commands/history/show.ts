// cadre show: one run, as its op tree, its ledger or its conversations, or all of it as JSON.

import { whyQueued } from '../../../engine/fleet/queued.ts';
import { pinnedCadre, readAll, startOf } from '../../../engine/pinned.ts';
import { runEndOf } from '../../../journal/ending.ts';
import type { RunEvent, RunId, RunStart } from '../../../journal/event.ts';
import type { RunStore } from '../../../journal/store.ts';
import { fail } from '../../../kernel/fault.ts';
import { isBroken } from '../../../kernel/outcome.ts';
import * as amounts from '../../../views/amounts.ts';
import { changedFiles } from '../../../views/changes.ts';
import type { Totals } from '../../../views/costs/totals.ts';
import { faultSettingIn } from '../../../views/fault-setting.ts';
import { tallyWords } from '../../../views/progress/call-tally.ts';
import { type RunReport, runReport } from '../../../views/report/run-report.ts';
import { standingWord } from '../../../views/runs/run-standing.ts';
import { caseWords, itemWords, loopWords } from '../../../views/step-words.ts';
import { teamTalk } from '../../../views/talk/team-talk.ts';
import { type Conversation, transcript } from '../../../views/talk/transcript.ts';
import { type Why, WhyFold } from '../../../views/talk/why.ts';
import { findAgent } from '../../lookup/find-agent.ts';
import { findWholeRun, runIfNamed } from '../../lookup/find-run.ts';
import { type StoreOptions, storeHere } from '../../lookup/store-place.ts';
import { changeNotes, diffLines } from '../../render/changes-text.ts';
import { compactionsText } from '../../render/compactions-text.ts';
import { failureText } from '../../render/ending.ts';
import { ledgerText } from '../../render/ledger-text.ts';
import { noteText } from '../../render/note-text.ts';
import { promptText } from '../../render/prompt-text.ts';
import { teamText } from '../../render/team-text.ts';
import { transcriptText } from '../../render/transcript-text.ts';
import { treeText } from '../../render/tree-text.ts';
import { whyText } from '../../render/why-text.ts';
import { cutToWidth, oneLine, wrap } from '../../render/width.ts';
import { notify, print, printDiff, printJson } from '../../screen/output.ts';
import { namesHere } from '../../screen/reader.ts';
import { columnsOf, paintFor } from '../../screen/terminal.ts';

export interface ShowOptions extends StoreOptions {
  readonly json?: boolean;
  readonly tree?: boolean;
  readonly ledger?: boolean;
  /** The diff of the files that it changed. */
  readonly changes?: boolean;
  /** The file of a test that is made of the run. */
  readonly saveTest?: string;
  /** Shows why it answered as it did; with an op, why that op was asked for. */
  readonly why?: string | true;
  /** Shows the talk of its teams, and who heard it when. */
  readonly team?: boolean;
  /** Shows its compactions: the turns that each replaced, and those that read them back. */
  readonly compactions?: boolean;
  /** The agent whose prompt is taken apart: as it would be now, or as it was in the run that is named. */
  readonly prompt?: string;
  /** Attaches to the run until it ends. */
  readonly follow?: boolean;
  /** `true` for all sessions, else the path or the agent of one. */
  readonly transcript?: string | true;
}

/** Shows a run; without a name, the last one. */
export async function showCommand(named: string | undefined, given: ShowOptions): Promise<number> {
  if (given.prompt !== undefined && named === undefined) return showCurrentPrompt(given.prompt, given);
  const { store } = await storeHere(given);
  const { asked, options } = await meant(named, given, store);
  const run = await findWholeRun(asked, store);
  if (options.follow === true) {
    const { followToEnd: followRun } = await import('./follow-run.ts');
    return followRun(run, store, options);
  }
  const events = await readAll(run, store);
  if (options.prompt !== undefined) return showRecordedPrompts(events, store, options.prompt, options);
  if (options.changes === true) return showChanges(run, events, store, options);
  if (options.saveTest !== undefined) return saveAsTest(events, store, options.saveTest);
  const state = await stateOf(run, events, store);
  const notes = await store.notes.list(run);
  const report: RunReport = {
    ...runReport(events, { live: state.kind === 'running' || state.kind === 'person' }),
    ...(notes.length > 0 && { notes }),
  };
  if (options.json === true) printJson(JSON.stringify(report, null, 2));
  else print(shown(state, events, report, options).join('\n'));
  return 0;
}

async function showCurrentPrompt(asked: string, { json = false }: ShowOptions): Promise<number> {
  const { currentPrompt } = await import('../../../engine/inspect/current-prompt.ts');
  const { cadre, agent } = await findAgent(asked, undefined);
  const prompt = await currentPrompt(cadre, agent);
  if (json) printJson(JSON.stringify(prompt, null, 2));
  else
    print(promptText({ ...prompt, title: `${agent.name}, as it would be now` }, columnsOf(process.stdout)).join('\n'));
  for (const entry of prompt.unseen)
    notify(`not looked at: ${entry}: servers are not started, and functions not loaded`);
  return 0;
}

async function showRecordedPrompts(
  events: readonly RunEvent[],
  store: RunStore,
  agent: string,
  { json = false }: ShowOptions,
): Promise<number> {
  const { recordedPrompts } = await import('../../../engine/history/recorded-prompts.ts');
  const { run } = startOf(events);
  const prompts = await recordedPrompts(events, store, { agent });
  if (prompts.length === 0) {
    const others = new Set(transcript(events).map((talk) => talk.agent));
    fail('usage', `${agent} asked no model in this run. Those that did: ${[...others].join(', ') || 'none'}.`);
  }
  if (json) printJson(JSON.stringify({ run, prompts }, null, 2));
  else
    print(
      prompts
        .map((prompt) => ({ ...prompt, title: `${prompt.agent}, session ${prompt.session}, at op ${prompt.op}` }))
        .map((prompt) => promptText(prompt, columnsOf(process.stdout)).join('\n'))
        .join('\n\n'),
    );
  return 0;
}

/** Makes the test with the agents that the run began with. */
async function saveAsTest(events: readonly RunEvent[], store: RunStore, file: string): Promise<number> {
  const { saveTest } = await import('../../../agent-tests/save-test.ts');
  const { recording, answers } = await saveTest(
    events,
    { cadre: await pinnedCadre(startOf(events), store), store },
    file,
  );
  print(`${file}\n${recording}`);
  notify(`${amounts.plural(answers, 'answer')} recorded. Run it with: cadre test ${file}`);
  return 0;
}

const LAST = 'last';

/** `--transcript X` without a run: X is a session of the last run, or the run whose sessions are all to be shown. */
async function meant(
  named: string | undefined,
  options: ShowOptions,
  store: RunStore,
): Promise<{ readonly asked: string; readonly options: ShowOptions }> {
  const { transcript: word } = options;
  if (named !== undefined || typeof word !== 'string') return { asked: named ?? LAST, options };
  const run = await runIfNamed(word, store);
  if (run === undefined) return { asked: LAST, options };
  const talks = transcript(await readAll(await store.find(LAST), store));
  if (talks.some((talk) => isCalled(talk, word))) {
    const ways = `cadre show last --transcript ${word}, or: cadre show ${word} --transcript`;
    fail('usage', `"${word}" is a session of the last run, and also names run ${run}. Say which: ${ways}`);
  }
  return { asked: run, options: { ...options, transcript: true } };
}

const isCalled = ({ session, agent }: Conversation, name: string): boolean => session === name || agent === name;

async function showChanges(
  run: RunId,
  events: readonly RunEvent[],
  store: RunStore,
  { json = false }: ShowOptions,
): Promise<number> {
  const { runChanges } = await import('../../../engine/history/run-changes.ts');
  const found = await runChanges(events, store.blobs);
  if (json) printJson(JSON.stringify({ run, ...found }, null, 2));
  else if (found.files.length > 0) printDiff(diffLines(found, paintFor(process.stdout)));
  else notify(`Run ${run} changed no files.`);
  if (!json) for (const note of changeNotes(found)) notify(note);
  return 0;
}

type State =
  | { readonly kind: 'running' | 'person' | 'broken-off' | 'ended' }
  /** It waits for a worker. */
  | { readonly kind: 'queued'; readonly why: string };

async function stateOf(run: RunId, events: readonly RunEvent[], store: RunStore): Promise<State> {
  if (runEndOf(events) !== undefined) return { kind: 'ended' };
  const summary = await store.summary(run);
  if (summary.state === 'running') return { kind: summary.waiting > 0 ? 'person' : 'running' };
  if (summary.queued !== true) return { kind: 'broken-off' };
  return { kind: 'queued', why: (await whyQueued([summary], store)).get(run) ?? 'it waits for a worker' };
}

function shown(state: State, events: readonly RunEvent[], report: RunReport, options: ShowOptions): readonly string[] {
  const start = startOf(events);
  const paint = paintFor(process.stdout);
  const columns = columnsOf(process.stdout);
  const width = columns === undefined ? {} : { columns };
  if (options.transcript !== undefined) {
    const talks = transcriptText(talksOf(transcript(events), options.transcript), { paint, ...width });
    const said = options.transcript === true ? teamTalk(events) : [];
    return [...teamText(said, { paint, ...width, startedAt: start.at }), ...talks];
  }
  if (options.why !== undefined) return whyText(whyOf(events, report, options.why), { paint, ...width });
  if (options.team === true) {
    const teams = teamTalk(events);
    if (teams.length === 0) fail('usage', 'No team works in this run: nothing was said on a channel.');
    return teamText(teams, { paint, ...width, startedAt: start.at, hearings: true });
  }
  if (options.compactions === true) {
    const { compactions = [] } = report;
    if (compactions.length === 0) fail('usage', 'No session of this run was compacted.');
    return compactionsText(compactions, { paint, ...width });
  }
  if (options.ledger === true) return ledgerText(report, columns);
  const isUntouched = state.kind === 'queued' && report.tree.children.length === 0; // no worker has begun it
  const tree = isUntouched ? [] : treeText(report.tree, { paint, ...width });
  const cached = amounts.cacheWords(report.totals);
  if (options.tree === true) return cached === undefined ? tree : [...tree, '', paint('faint', cached)];
  const end = runEndOf(events);
  const took = end === undefined || state.kind !== 'ended' ? '' : `, took ${amounts.duration(end.at - start.at)}`;
  const { totals } = report;
  const spent = `${amounts.plural(totals.calls, 'call')}, ${amounts.tokens(totals.input)} tokens in, ${amounts.tokens(totals.output)} out`;
  const facts: [string, string][] = [
    ['run', start.run],
    ['agent', `${start.agent}  ${paint('faint', start.folder)}`],
    ['input', cutToWidth(oneLine(start.input.text), (columns ?? 120) - 10)],
    ['started', `${amounts.moment(start.at, Date.now())}${took}`],
    ...threadFacts(start),
    ...forkFacts(start),
    [
      'spent',
      `${spent}, ${totals.calls === 0 ? amounts.usd(0) : amounts.cost(totals.usd, totals.unpriced)}${cached === undefined ? '' : `, ${cached}`}`,
    ],
    ['outcome', outcomeText(report, state, events, paint)],
    ...callFacts(report, paint),
    ...answerFacts(totals),
    ...changeFacts(report),
    ...(report.notes ?? []).map((one): [string, string] => ['mark', noteText(one, Date.now())]),
  ];
  const head = facts.map(([name, value]) => `${paint('faint', name.padEnd(8))}  ${value}`);
  return [...head, ...(tree.length === 0 ? [] : ['', ...tree]), ...answerLines(report, columns)];
}

/** If more than one agent worked: who gave the answer, and what it cost with everything that led to it. */
function answerFacts({ answer, agents }: RunReport['totals']): [string, string][] {
  if (answer === undefined || agents.length < 2) return [];
  const priceOf = ({ usd, unpriced }: Totals): string => amounts.cost(usd, unpriced);
  const { agent, own, lineage, abandoned } = answer;
  const lost = abandoned.calls === 0 ? '' : `, ${priceOf(abandoned)} spent on stages that were replaced`;
  return [['answer', `by ${agent}: ${priceOf(own)} of its own, ${priceOf(lineage)} with all that led to it${lost}`]];
}

/** The calls that came to nothing; the tree has each with its reason. */
function callFacts({ calls }: RunReport, paint: ReturnType<typeof paintFor>): [string, string][] {
  const words = tallyWords(calls);
  return words.length === 0 ? [] : [['calls', paint('warning', words.join(', '))]];
}

/** The number of files that it changed, and the command that shows them. */
function changeFacts({ run, changes = [] }: RunReport): [string, string][] {
  const own = changes.filter(({ takenOver, state }) => takenOver === undefined && state === 'made');
  const files = changedFiles(own).length;
  if (files === 0) return [];
  const undone = own.filter(({ undo }) => undo?.state === 'done').length;
  const after = undone === 0 ? '' : undone === own.length ? ', all undone' : ', some undone';
  return [['changed', `${amounts.plural(files, 'file')}${after}: cadre show ${run} --changes`]];
}

const threadFacts = ({ thread, continues }: RunStart): [string, string][] =>
  thread === undefined ? [] : [['thread', `${thread}${continues === undefined ? '' : `, after run ${continues}`}`]];

const forkFacts = ({ forkedFrom, models }: RunStart): [string, string][] =>
  forkedFrom === undefined
    ? []
    : [['forked', [`from ${forkedFrom.run} at ${forkedFrom.at}`, ...forkChanges(forkedFrom, models)].join(', ')]];

function forkChanges(
  { edited = [] }: NonNullable<RunStart['forkedFrom']>,
  models: RunStart['models'],
): readonly string[] {
  const named = Array.isArray(models)
    ? [models.join(', ')]
    : Object.entries(models ?? {}).map(
        ([agent, own]) => `${own.join(', ')} for ${agent === '*' ? 'all others' : agent}`,
      );
  return [
    ...named.map((one) => `with ${one}`),
    ...(edited.length === 0 ? [] : [`changed for it alone: ${edited.join(', ')}`]),
  ];
}

function outcomeText(
  { outcome, tree }: RunReport,
  state: State,
  events: readonly RunEvent[],
  paint: ReturnType<typeof paintFor>,
): string {
  if (outcome === null) return paint('warning', openText(state));
  if (isBroken(outcome))
    return failureText(outcome, { agent: tree.agent ?? '', ...faultSettingIn(events, namesHere()) }, paint);
  const stages = outcome.chainedStages?.map((stage) => stage.replace(/^agent__/, '')) ?? [];
  const chain = stages.length === 0 ? '' : `, chained stages: ${stages.join(' → ')}`;
  const stopped = outcome.stoppedAfter === undefined ? '' : `, stopped after ${outcome.stoppedAfter}`;
  const who = outcome.agent === undefined || outcome.agent === tree.agent ? '' : ` by ${outcome.agent}`;
  const rounds = loopWords(outcome);
  const cases = caseWords(outcome);
  const items = outcome.items === undefined ? undefined : itemWords(outcome.items);
  const flow = [rounds, items, cases].flatMap((words) => (words === undefined ? [] : [`, ${oneLine(words)}`])).join('');
  return paint('good', outcome.kind) + who + flow + chain + stopped;
}

function openText(state: State): string {
  switch (state.kind) {
    case 'queued':
      return `queued: ${oneLine(state.why)}`;
    case 'running':
    case 'person':
      return standingWord(state.kind);
    default:
      return 'none: broken off. Resume it with: cadre resume';
  }
}

function answerLines({ outcome }: RunReport, columns: number | undefined): readonly string[] {
  if (outcome === null) return [];
  const text = isBroken(outcome) ? outcome.partial : 'text' in outcome ? outcome.text : undefined;
  if (text === undefined) return [];
  return ['', ...(isBroken(outcome) ? ['--- partial output, not an answer ---'] : []), ...wrap(text, columns ?? 120)];
}

function whyOf(events: readonly RunEvent[], { refused = [] }: RunReport, asked: string | true): Why {
  const fold = new WhyFold();
  for (const event of events) fold.add(event);
  if (asked === true) return fold.why();
  const isThere = refused.some(({ path }) => path === asked);
  if (!isThere && !events.some((event) => 'path' in event && event.path === asked))
    fail('usage', `This run has no op "${asked}".`);
  return fold.why(asked);
}

function talksOf(talks: readonly Conversation[], asked: string | true): readonly Conversation[] {
  if (asked === true) return talks.length > 0 ? talks : fail('usage', 'No session of this run has said anything yet.');
  const found = talks.filter((talk) => isCalled(talk, asked));
  if (found.length > 0) return found;
  const known = talks.map(({ session, agent }) => `${session} (${agent})`).join(', ');
  return fail('usage', `There is no session "${asked}" in this run. It has: ${known || 'none'}.`);
}
