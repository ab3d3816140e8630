// A conversation with an agent. Each message is a run of its own, which is given what was said before it.
// CHAT-1. Messages of one chat follow each other: a further one begins when the run before it has ended.
// CHAT-2. The run to continue is looked up for every message, because others may use the thread too. After `undo`, and
//         in a new fork, it is fixed until the next message.

import type { CadreDefinition } from '../../definition/definition.ts';
import type { RunId } from '../../journal/event.ts';
import type { RunStore } from '../../journal/store.ts';
import type { AgentName, History } from '../../kernel/effect.ts';
import { fail } from '../../kernel/fault.ts';
import { OWN_UPLOADS } from '../../run/name-files.ts';
import type { RunHandle } from '../contract.ts';
import type { Engine } from '../engine.ts';
import { inputWithFiles } from '../files/input-with-files.ts';
import type { InputFile } from '../files/take-files.ts';
import { agentIn } from '../request.ts';
import {
  findThread,
  fitHistory,
  newestOf,
  newThreadId,
  runsOfExchange,
  runsOfThread,
  START,
  type ThreadId,
  type Tip,
  tipAfter,
  tipBefore,
} from './thread.ts';

export interface ChatOptions {
  /** Goes on with this thread: its id, a unique beginning of it, or `last`. Default: a new one. */
  readonly thread?: string;
}

interface SayOptions {
  /** Texts, pictures and PDF files that go with the message. */
  readonly files?: readonly InputFile[];
  /** Aborting it cancels the run. */
  readonly signal?: AbortSignal;
}

export interface Chat {
  readonly agent: AgentName;
  readonly thread: ThreadId;
  /**
   * A text, or any JSON value for an agent that takes JSON. Rejects if the input does not fit. A run that gives no
   * answer is left out of the history of those that follow.
   */
  say(input: unknown, options?: SayOptions): Promise<RunHandle>;
  /** The conversation so far, as the next message gets it. */
  history(): Promise<History>;
  /** Undoes the last exchange. Returns the message that was undone, or undefined if there is none. */
  undo(): Promise<string | undefined>;
  /** The runs that `undo` would take out of the conversation, newest first. What they changed in files stays. */
  undoable(): Promise<readonly RunId[]>;
  /** A new thread that goes on from here. This one stays as it is. */
  fork(): Promise<Chat>;
  /** The newest run of the thread, if it was broken off before it ended: `resume` continues it. */
  brokenOff(): Promise<RunId | undefined>;
}

interface ChatParts {
  readonly cadre: CadreDefinition;
  readonly engine: Pick<Engine, 'start' | 'handle'>;
  readonly store: RunStore;
  warn(text: string): void;
  now(): number;
}

/** Rejects with `agent/unknown`, `thread/unknown` or `thread/other-agent`. */
export async function openChat(asked: string, { thread }: ChatOptions, parts: ChatParts): Promise<Chat> {
  const agent = agentIn(parts.cadre, asked);
  if (thread === undefined) return chatOn(agent.name, newThreadId(parts.now()), START, parts);
  const found = await findThread(thread, parts.store);
  const runs = await runsOfThread(parts.store, found);
  const whose = runs.at(-1)?.summary.agent ?? agent.name;
  if (whose !== agent.name) {
    fail(
      'thread/other-agent',
      `Thread ${found} is a conversation with ${whose}, not with ${agent.name}. Go on with: cadre chat ${whose} --thread ${found}`,
    );
  }
  return chatOn(agent.name, found, undefined, parts);
}

function chatOn(agent: AgentName, thread: ThreadId, begins: Tip | undefined, parts: ChatParts): Chat {
  const { cadre, engine, store, warn, now } = parts;
  let fixed = begins; // CHAT-2
  let latest: Promise<unknown> = Promise.resolve();
  let isToldOfLength = false;

  const tip = async (): Promise<Tip> => {
    if (fixed !== undefined) return fixed;
    const newest = newestOf(await runsOfThread(store, thread));
    return newest === undefined ? START : tipAfter(newest.summary.run, store);
  };
  const fit = (whole: History): History => {
    const history = fitHistory(whole);
    if (history.length < whole.length && !isToldOfLength) {
      isToldOfLength = true;
      warn(
        `Thread ${thread} is longer than a run can take: its oldest ${whole.length - history.length} messages are left out.`,
      );
    }
    return history;
  };
  const taker = { uploads: store.uploads, owner: OWN_UPLOADS };
  const begin = async (asked: unknown, { signal, files }: SayOptions): Promise<RunHandle> => {
    signal?.throwIfAborted();
    const input = await inputWithFiles(agentIn(cadre, agent), asked, files, taker);
    const { continues, history: whole } = await tip();
    const history = fit(whole);
    const run = await engine.start({
      agent,
      input: history.length === 0 ? input : { ...input, history },
      thread,
      ...(continues !== undefined && { continues }),
    });
    fixed = undefined;
    const handle = engine.handle(run);
    signal?.addEventListener('abort', () => handle.interrupt('cancel', String(signal.reason)), { once: true });
    return handle;
  };
  return {
    agent,
    thread,
    say(input, options = {}) {
      const said = latest.then(() => begin(input, options)); // CHAT-1
      latest = said.then((handle) => handle.outcome()).catch(() => {}); // the caller of outcome() gets the failure
      return said;
    },
    history: async () => fitHistory((await tip()).history),
    async undo() {
      await latest;
      const from = await tip();
      const before = await tipBefore(from, store);
      if (before === undefined) return undefined;
      fixed = before;
      return from.history[before.history.length]?.text;
    },
    async undoable() {
      await latest;
      return runsOfExchange(await tip(), store);
    },
    async fork() {
      await latest;
      return chatOn(agent, newThreadId(now()), await tip(), parts);
    },
    async brokenOff() {
      if (fixed !== undefined) return undefined;
      const newest = newestOf(await runsOfThread(store, thread));
      return newest?.summary.state === 'broken-off' ? newest.summary.run : undefined;
    },
  };
}
