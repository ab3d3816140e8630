// cadre chat: a conversation with an agent in a terminal, or by a pipe. Each message is a run, followed as `cadre run`
// follows one.

import { countedNoun } from '../../base/text/words.ts';
import { type AgentDefinition, type CadreDefinition, workspaceOf } from '../../definition/definition.ts';
import type { RunHandle } from '../../engine/contract.ts';
import { refusePinnedOnly } from '../../engine/history/pinned-config.ts';
import type { UndoOptions, UndoReport } from '../../engine/history/undo.ts';
import { pinnedCadre, readAll, startOf } from '../../engine/pinned.ts';
import { type Chat, openChat } from '../../engine/threads/chat.ts';
import { runsOfThread } from '../../engine/threads/thread.ts';
import type { RunEvent, RunId } from '../../journal/event.ts';
import type { RunStore } from '../../journal/store.ts';
import { EXIT, FaultError } from '../../kernel/fault.ts';
import { type ChatPlace, type CommandEffect, commandIn, obey } from '../chat/commands.ts';
import type { Messages } from '../chat/messages.ts';
import { pipedMessages } from '../chat/piped.ts';
import { promptedMessages } from '../chat/prompt.ts';
import { follow } from '../follow.ts';
import { findAgent } from '../lookup/find-agent.ts';
import { valueOf } from '../lookup/read-input.ts';
import { openStore, type StoreOptions, type StorePlace, storeOfCadre } from '../lookup/store-place.ts';
import { type WorkspaceOptions, workspaceFrom } from '../lookup/workspace.ts';
import { type OpenRun, openRun, type RunViewOptions, viewFor } from '../open-run.ts';
import { approvedBeforehand } from '../person/approved-beforehand.ts';
import { askKey } from '../person/question.ts';
import { beginning } from '../render/width.ts';
import { reportError } from '../report-error.ts';
import { notify, print } from '../screen/output.ts';
import { silentView, type View } from '../view/view.ts';

export interface ChatCommandOptions extends Pick<RunViewOptions, 'quiet' | 'approve'>, StoreOptions, WorkspaceOptions {
  readonly dir?: string;
  readonly thread?: string;
}

export async function chat(asked: string, options: ChatCommandOptions): Promise<number> {
  const { cadre, agent } = await findAgent(asked, options.dir, workspaceFrom(options));
  approvedBeforehand(options.approve, cadre);
  const place = storeOfCadre(options, cadre);
  const screens = turnScreens(cadre, options);
  const store = await openStore(place, (text) => screens.now().notice(text));
  const opened = await openRun(cadre, { store, dir: place.dir }, { ...options, view: screens.now });
  try {
    const { engine } = opened;
    const warn = (text: string): void => screens.now().notice(text);
    const begun = await openChat(agent.name, options, { cadre, engine, store, warn, now: Date.now });
    return await converse(begun, { cadre, agent, asked, options, place, store, screens, opened });
  } finally {
    await opened.engine.close();
  }
}

/** Rows for the answer while it is written. */
const WRITING_ROWS = 12;

function turnScreens(cadre: CadreDefinition, options: RunViewOptions) {
  const between = silentView();
  let now = between;
  return {
    now: () => now,
    async begin() {
      now = await viewFor(cadre, options, WRITING_ROWS);
      return now;
    },
    end() {
      now.finish();
      now = between;
    },
  };
}

interface ChatContext {
  readonly cadre: CadreDefinition;
  readonly agent: AgentDefinition;
  /** The agent as the person named it. */
  readonly asked: string;
  readonly options: ChatCommandOptions;
  readonly place: StorePlace;
  readonly store: RunStore;
  readonly screens: { readonly now: () => View; begin(): Promise<View>; end(): void };
  readonly opened: OpenRun;
}

async function converse(begun: Chat, around: ChatContext): Promise<number> {
  const { agent, options, store, opened } = around;
  const goOn = (chat: Chat): string => wayOn(chat, around);
  const known = options.thread === undefined ? [] : await runsOfThread(store, begun.thread);
  const screen = screenOf();
  let place: ChatPlace = {
    chat: begun,
    store,
    goOn,
    files: [],
    undoChanges: (run, how) => undoWithin(run, how, around),
    ask: screen === undefined ? undefined : askYesOrNo,
  };
  if (options.quiet !== true) notify(welcome(begun, known.length, screen !== undefined));
  const messages = screen === undefined ? pipedMessages(process.stdin) : await prompt(begun, screen);
  const leave = leaving(messages, screen === undefined);
  const answers = answering(around, screen === undefined);
  let last: Chat | undefined = options.thread === undefined ? undefined : begun;
  let exit: number = EXIT.answered;
  try {
    const broken = await begun.brokenOff();
    if (broken !== undefined) {
      notify(`Its last message was broken off before it was answered. Run ${broken} is resumed first.`);
      // The messages that follow are answered even if it fails.
      await toldOrThrown(false, EXIT.failed as number, () => answers(place, () => takenUp(broken, store, opened)));
    }
    while ((exit === EXIT.answered || screen !== undefined) && !leave.asked) {
      const text = await messages.next();
      if (text === undefined) break;
      const command = commandIn(text);
      if (command !== undefined) {
        const obeyed = await toldOrThrown<CommandEffect>(screen === undefined, place, () => obey(command, place));
        if (obeyed === 'leave') break;
        place = { ...place, chat: obeyed.chat, files: obeyed.files ?? place.files };
        continue;
      }
      exit = await answers(place, async () => {
        const { chat: now, files } = place;
        place = { ...place, files: [] };
        const handle = await now.say(valueOf(agent, text.trim()), files.length === 0 ? {} : { files });
        last = now; // a thread exists once it has a run
        return { handle };
      });
    }
  } finally {
    leave.stop();
    messages.close();
    if (last !== undefined && options.quiet !== true) notify(`Go on with: ${goOn(last)}`);
  }
  if (leave.asked) return EXIT.cancelled;
  return screen === undefined ? exit : EXIT.answered;
}

async function undoWithin(
  run: RunId,
  how: UndoOptions,
  { cadre, options, place, store }: ChatContext,
): Promise<UndoReport> {
  const { undoRun } = await import('../../engine/history/undo.ts');
  const within = [workspaceFrom(options) ?? workspaceOf(cadre)];
  return undoRun(run, how, { store, storeDir: place.dir, within, now: Date.now });
}

async function askYesOrNo(question: string): Promise<boolean> {
  const choices = [
    { value: 'n', label: 'no' },
    { value: 'y', label: 'yes' },
  ] as const;
  return (await askKey(question, [...choices], process, new AbortController().signal)) === 'y';
}

/** Prints a fault in a terminal, and the chat goes on with `otherwise`. A pipe ends with it. */
async function toldOrThrown<Value>(isPipe: boolean, otherwise: Value, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (thrown) {
    if (isPipe || !(thrown instanceof FaultError)) throw thrown;
    await reportError(thrown);
    return otherwise;
  }
}

function welcome({ agent, thread }: Chat, runs: number, isTerminal: boolean): string {
  const what = runs === 0 ? `a new thread, ${thread}` : `thread ${thread}, which has ${countedNoun(runs, 'run')}`;
  return `${agent}: ${what}${isTerminal ? '. /help lists the commands.' : ''}`;
}

/** Undefined without a terminal: then messages come line by line. */
function screenOf(): NodeJS.WriteStream | undefined {
  const { stdin, stderr, stdout, env } = process;
  if (stdin.isTTY !== true || env['TERM'] === 'dumb') return undefined;
  return [stderr, stdout].find((stream) => stream.isTTY === true);
}

/** One line without control characters: the arrow keys put it on the screen as it is. */
const IS_PLAIN_LINE = /^\P{C}*$/u;

async function prompt(chat: Chat, screen: NodeJS.WriteStream): Promise<Messages> {
  const said = (await chat.history()).filter(({ role, text }) => role === 'user' && IS_PLAIN_LINE.test(text));
  return promptedMessages(process.stdin, screen, {
    label: `${chat.agent}> `,
    earlier: said.map(({ text }) => text).reverse(),
    hint: notify,
  });
}

/** The command with which this thread goes on. */
function wayOn({ thread }: Chat, { asked, options, place }: ChatContext): string {
  const dir = options.dir === undefined ? '' : ` --dir ${options.dir}`;
  return `cadre chat ${asked}${dir} --thread ${thread}${place.flag}`;
}

/**
 * A run listens for Ctrl+C itself while it works (PROMPT-1). In a terminal the chat outlives it; a pipe ends
 * after the current answer. A request to terminate ends both.
 */
function leaving(messages: Messages, isPipe: boolean): { readonly asked: boolean; stop(): void } {
  let asked = false;
  const end = (): void => {
    asked = true;
    messages.close();
  };
  const interrupt = (): void => {
    if (isPipe) end();
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', end);
  return {
    get asked() {
      return asked;
    },
    stop() {
      process.off('SIGINT', interrupt);
      process.off('SIGTERM', end);
    },
  };
}

/** Follows one run to its end, and returns its exit code. In a terminal a fault is printed, and the chat goes on. */
function answering(
  { agent, options, screens, opened, place }: ChatContext,
  isPipe: boolean,
): (
  place: ChatPlace,
  begin: () => Promise<{ readonly handle: RunHandle; readonly recorded?: readonly RunEvent[] }>,
) => Promise<number> {
  let answers = 0;
  return async ({ chat, goOn }, begin) => {
    const answer = async (): Promise<number> => {
      const view = await screens.begin(); // ready before the run writes its first event
      const { handle, recorded } = await begin();
      const exit = await follow(handle, {
        agent: agent.name,
        view,
        ...(recorded && { recorded }),
        output: 'answer',
        elsewhere: opened.elsewhere,
        quiet: options.quiet === true,
        show: `cadre show ${handle.run}${place.flag}`,
        beforeAnswer() {
          if (answers++ > 0 && (isPipe || process.stdout.isTTY !== true)) print('');
        },
        leaving() {
          notify(`Go on with: ${goOn(chat)}`);
          return opened.engine.flush();
        },
      });
      if (exit !== EXIT.answered)
        notify('This message is not part of the conversation: the agent will not see it again.');
      return exit;
    };
    try {
      return await toldOrThrown(isPipe, EXIT.failed as number, answer);
    } finally {
      screens.end();
    }
  };
}

/** Resumes a run that was broken off, with the texts that it began with. */
async function takenUp(run: RunId, store: RunStore, { engine }: OpenRun) {
  const recorded = await readAll(run, store);
  const start = startOf(recorded);
  refusePinnedOnly(await pinnedCadre(start, store));
  notify(`The message was: ${beginning(start.input.text)}`);
  await engine.resume(run);
  return { handle: engine.handle(run), recorded };
}
