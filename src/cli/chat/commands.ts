// The commands to the chat itself, with a slash in front. Their output goes to stderr, because stdout has the answers.

import { didYouMean } from '../../base/text/nearest.ts';
import type { InputFile } from '../../engine/files/take-files.ts';
import type { UndoOptions, UndoReport } from '../../engine/history/undo.ts';
import type { Chat } from '../../engine/threads/chat.ts';
import { runsOfThread, type ThreadRun } from '../../engine/threads/thread.ts';
import type { RunId } from '../../journal/event.ts';
import type { RunStore } from '../../journal/store.ts';
import { fail } from '../../kernel/fault.ts';
import * as amounts from '../../views/amounts.ts';
import { costOf, runTable } from '../render/run-table.ts';
import { type Column, table } from '../render/table.ts';
import { undoneText } from '../render/undone-text.ts';
import { beginning } from '../render/width.ts';
import { notify } from '../screen/output.ts';
import { columnsOf, paintFor } from '../screen/terminal.ts';

export interface ChatPlace {
  readonly chat: Chat;
  readonly store: RunStore;
  /** The command that continues a thread. */
  goOn(chat: Chat): string;
  /** Takes back what a run changed in files. */
  undoChanges(run: RunId, how: UndoOptions): Promise<UndoReport>;
  /** Files that go with the next message, as they were named. */
  readonly files: readonly InputFile[];
  /** A question with yes and no. Undefined where nobody can be asked. */
  readonly ask: ((question: string) => Promise<boolean>) | undefined;
}

/** The effect of a command: the chat goes on, perhaps another one, or it ends. */
export type CommandEffect = { readonly chat: Chat; readonly files?: readonly InputFile[] } | 'leave';

const COMMANDS: Readonly<
  Record<
    string,
    {
      readonly does: string;
      /** The words that follow it, for the list of commands. */
      readonly takes?: string;
      obey(place: ChatPlace, given: string): Promise<CommandEffect>;
    }
  >
> = {
  '/file': {
    does: 'a text, picture or PDF that goes with the next message; alone, drops those',
    takes: 'PATH',
    obey: attach,
  },
  '/cost': { does: 'what this thread has cost, by run', obey: cost },
  '/runs': { does: 'the runs of this thread', obey: runs },
  '/undo': { does: 'drop the last exchange, and offer to take back what it changed in files', obey: undo },
  '/fork': { does: 'continue in a new thread with the same conversation; this one stays', obey: fork },
  '/help': { does: 'this list', obey: help },
  '/quit': { does: 'leave (also Ctrl+D)', obey: () => Promise.resolve('leave') },
};

/** The command in a message; undefined for a message to the agent. A path such as `/etc/hosts` is not a command. */
export function commandIn(message: string): string | undefined {
  return /^\/(?:file +\S[^\n]*|[a-z-]+)$/.exec(message.trimEnd())?.[0];
}

/** Throws `usage` if there is no such command. */
export async function obey(said: string, place: ChatPlace): Promise<CommandEffect> {
  const [command = said] = said.split(' ', 1);
  const known = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
  if (known !== undefined) return known.obey(place, said.slice(command.length).trim());
  const near = didYouMean(command, Object.keys(COMMANDS));
  const way = `/help lists the commands. With a space in front it is a message to ${place.chat.agent}.`;
  return fail('usage', `There is no command ${command}.${near} ${way}`);
}

/** The file is read at once, so that a wrong path is told at once. What the agent takes is found out with the message. */
async function attach({ chat, files }: ChatPlace, path: string): Promise<CommandEffect> {
  const { readFiles } = await import('../lookup/input-files.ts');
  if (path === '') {
    notify(files.length === 0 ? 'No file goes with the next message.' : 'Dropped. No file goes with the next message.');
    return { chat, files: [] };
  }
  const all = [...files, ...readFiles([path], '/file')];
  notify(`Goes with the next message: ${all.map(({ name }) => name).join(', ')}`);
  return { chat, files: all };
}

async function help(place: ChatPlace): Promise<CommandEffect> {
  const lines = Object.entries(COMMANDS).map(([name, { does, takes }]) => {
    const typed = takes === undefined ? name : `${name} ${takes}`;
    return `  ${typed.padEnd(10)} ${does}`;
  });
  notify(
    [
      ...lines,
      'A line that ends with \\ goes on in the next one. A pasted block is one message.',
      'While an answer comes, Ctrl+C asks for it now, and a second Ctrl+C cancels it.',
    ].join('\n'),
  );
  return place;
}

async function runs(place: ChatPlace): Promise<CommandEffect> {
  const { chat, store } = place;
  const all = await runsOfThread(store, chat.thread);
  const origin = originOf(all);
  notify(`thread ${chat.thread}${origin === undefined ? '' : `, which goes on from run ${origin}`}`);
  if (all.length === 0) notify('No runs yet.');
  else
    notify(
      runTable(all.map(({ summary }) => summary).reverse(), Date.now(), { columns: columnsOf(process.stderr) }).join(
        '\n',
      ),
    );
  if (all.length > 0)
    notify(
      `See one with: cadre show <run>. ${chat.agent} does not see those that were undone or ended without an answer.`,
    );
  return place;
}

/** The run of another thread that a fork began with. */
function originOf(all: readonly ThreadRun[]): string | undefined {
  const own = new Set(all.map(({ summary }) => summary.run));
  return all.find(({ continues }) => continues !== undefined && !own.has(continues))?.continues;
}

const COST_COLUMNS: readonly Column[] = [
  { title: 'RUN' },
  { title: 'STATE' },
  { title: 'COST', align: 'right' },
  { title: 'MESSAGE', flexible: true },
];

async function cost(place: ChatPlace): Promise<CommandEffect> {
  const all = (await runsOfThread(place.store, place.chat.thread)).map(({ summary }) => summary);
  const known = all.flatMap(({ usd }) => usd ?? []);
  const unpriced = all.reduce((sum, one) => sum + one.unpriced, 0);
  const atLeast = all.some((one) => one.atLeast);
  const total = { unpriced, atLeast, ...(known.length > 0 && { usd: known.reduce((sum, usd) => sum + usd, 0) }) };
  const rows = all.map((one) => [one.run, one.outcome ?? one.state, costOf(one), beginning(one.input.text)]);
  notify(
    table(
      COST_COLUMNS,
      [...rows, ['total', amounts.plural(all.length, 'run'), costOf(total), '']],
      columnsOf(process.stderr),
    ).join('\n'),
  );
  if (unpriced > 0)
    notify(`${amounts.plural(unpriced, 'call')} of unknown price ${unpriced === 1 ? 'is' : 'are'} not in it.`);
  return place;
}

async function undo(place: ChatPlace): Promise<CommandEffect> {
  const runs = await place.chat.undoable();
  const undone = await place.chat.undo();
  if (undone === undefined) notify('There is nothing to undo.');
  else notify(`Undone: ${beginning(undone)}\nYour next message continues from before it.`);
  for (const run of runs) await offerFiles(run, place);
  return place;
}

/** Changes of files by the answer stay, unless the person wants them back too. */
async function offerFiles(run: RunId, { undoChanges, ask }: ChatPlace): Promise<void> {
  const { state, files } = await undoChanges(run, { dryRun: true });
  if (state !== 'would-undo') return;
  const names = files.map(({ path }) => path).join(', ');
  const what = `It changed ${amounts.plural(files.length, 'file')}: ${names}.`;
  if (ask === undefined) return notify(`${what} Take that back with: cadre undo ${run}`);
  if (!(await ask(`${what} Take that back too?`))) return notify(`The files stay. Later: cadre undo ${run}`);
  notify(undoneText(await undoChanges(run, {}), paintFor(process.stderr)).join('\n'));
}

async function fork({ chat, goOn }: ChatPlace): Promise<CommandEffect> {
  const forked = await chat.fork();
  notify(`This is a new thread with the same conversation: ${forked.thread}\nThe old one stays: ${goOn(chat)}`);
  return { chat: forked };
}
