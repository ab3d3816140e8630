// The requests of A2A about one agent, on the engine: a run is a task, and a thread is its context. The package reads
// and writes the protocol.
// TASK-1. A task has an id by which anyone who may see it asks for it again. So a connection that closes cancels
//         nothing: `tasks/cancel` does.
// TASK-2. A message is an answer to the op that it names, else to the one that this client was last shown, and never to
//         what waits by then. A message of one id counts once.

import { randomUUID } from 'node:crypto';
import type { ListTasksRequest, ListTasksResponse, Message, SendMessageRequest, Task } from '@a2a-js/sdk';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import type { InputFile } from '../../../engine/files/take-files.ts';
import type { RunId } from '../../../journal/event.ts';
import { digest } from '../../../journal/fingerprint.ts';
import type { ControlMessage } from '../../../kernel/control.ts';
import { FaultError, fail } from '../../../kernel/fault.ts';
import type { OpPath } from '../../../kernel/path.ts';
import { decidedFault } from '../../../run/verdict-fault.ts';
import { unlessLost, whileAllowed } from '../../access.ts';
import { requirePermission } from '../../caller.ts';
import type { ServerContext } from '../../context.ts';
import { startedOnce } from '../../runs/idempotency-key.ts';
import { isRunOf, maySee, seenStore } from '../../runs/seen-store.ts';
import type { ServedAgent } from '../../served-cadres.ts';
import { conversationOf } from '../conversation.ts';
import { type HeadParts, mayWith } from '../head-host.ts';
import { startHeadRun } from '../head-run.ts';
import { verdictOf } from '../person-question.ts';
import { refuseCall, throwA2aError } from './a2a-error.ts';
import { agentCard } from './agent-card.ts';
import { answerIn, filesOfMessage, opNamedIn, textOfMessage } from './said-by-client.ts';
import type { ShownOps } from './shown-ops.ts';
import { OP_KEY, TaskFold } from './task.ts';
import { type SentTo, taskUpdates } from './task-updates.ts';

interface TaskParts extends HeadParts {
  /** The URL of messages to the agent. */
  readonly url: string;
  readonly version: string;
  readonly server: ServerContext;
  readonly shown: ShownOps;
  /** Names the client among those that have the same token. */
  readonly client: string;
}

export function taskRequests(served: ServedAgent, parts: TaskParts): A2ARequestHandler {
  const { context } = parts;
  const { engine } = context;
  const inItsWords = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    try {
      return await work();
    } catch (thrown) {
      return throwA2aError(thrown, context);
    }
  };
  const inItsOwn = async function* <Item>(items: AsyncGenerator<Item>): AsyncGenerator<Item, void, undefined> {
    try {
      yield* items;
    } catch (thrown) {
      await throwA2aError(thrown, context);
    }
  };
  return {
    getAgentCard: async () => agentCard(served, parts.url, parts.version),
    getAuthenticatedExtendedAgentCard: () => refuseCall('extended-card'),
    sendMessage: (params) =>
      inItsWords(async () => {
        const sent = await send(params, served, parts);
        return shownTask(await settledTask(sent, params, parts), parts, params.configuration?.historyLength);
      }),
    async *sendMessageStream(params) {
      const sent = await inItsWords(() => send(params, served, parts));
      yield* inItsOwn(taskUpdates(sent, served, context, noteShown(parts)));
    },
    async *resubscribe({ id }) {
      const { isOver } = await inItsWords(() => recordedTask(id, served, parts));
      if (isOver) await refuseCall('over', id);
      const lost = whileMay('see', served, parts);
      yield* inItsOwn(taskUpdates({ handle: engine.handle(id), lost }, served, context, noteShown(parts)));
    },
    getTask: ({ id, historyLength }) =>
      inItsWords(async () => shownTask(await recordedTask(id, served, parts), parts, historyLength)),
    listTasks: (params) => inItsWords(() => listedTasks(params, served, parts)),
    cancelTask: ({ id }) => inItsWords(() => cancelled(id, served, parts)),
    createTaskPushNotificationConfig: () => refuseCall('push'),
    getTaskPushNotificationConfig: () => refuseCall('push'),
    listTaskPushNotificationConfigs: () => refuseCall('push'),
    deleteTaskPushNotificationConfig: () => refuseCall('push'),
  };
}

/** A message with a task answers what it waits for, or adds to it. One without begins another task. */
async function send(params: SendMessageRequest, served: ServedAgent, parts: TaskParts): Promise<SentTo> {
  const { message, configuration } = params;
  if (message === undefined) return fail('request/invalid', 'The message is missing.');
  if (configuration?.taskPushNotificationConfig !== undefined) return refuseCall('push');
  const files = filesOfMessage(message);
  if (message.taskId !== '' && files.length > 0)
    return fail(
      'request/media-type',
      'A message to a task takes text and data. Files go with the message that begins it.',
    );
  if (message.taskId !== '') return answerTask(message.taskId, message, served, parts);
  requirePermission(parts.caller, 'run');
  const conversation = conversationOf([{ role: 'user', text: textOfMessage(message), files }]);
  const thread = message.contextId === '' ? undefined : message.contextId;
  const asked = { served, conversation, named: { thread } };
  const lost = whileMay('run', served, parts);
  if (message.messageId === '') return { handle: (await startHeadRun(asked, parts)).handle, lost };
  const key = digest(
    JSON.stringify([
      'a2a',
      served.name,
      message.contextId,
      message.messageId,
      conversation.request,
      ...files.map(digestOfFile),
    ]),
  );
  const { caller, server } = parts;
  const { run } = await startedOnce({ key, caller, asked: '' }, server, async (given) => {
    const { place } = await startHeadRun(asked, parts, given);
    return { run: given, state: 'running', thread: place.thread };
  });
  return { handle: parts.context.engine.handle(run), lost };
}

/** The same message sent again has the same files. */
const digestOfFile = ({ name, data }: InputFile): string =>
  digest(`${name}\0${typeof data === 'string' ? data : Buffer.from(data).toString('base64')}`);

const whileMay = (what: 'see' | 'run' | 'approve', { name }: ServedAgent, { access }: TaskParts): AbortSignal =>
  access.while((now) => mayWith(now, what, name));

async function answerTask(run: RunId, message: Message, served: ServedAgent, parts: TaskParts): Promise<SentTo> {
  const { caller, context } = parts;
  const fold = await recordedTask(run, served, parts);
  const handle = context.engine.handle(run);
  const id =
    message.messageId === '' ? randomUUID() : digest(JSON.stringify(['a2a', caller.name, run, message.messageId]));
  const before = fold.taken(id) ?? (await context.store.control.posted(run)).find((one) => one.id === id);
  const lost = (what: 'run' | 'approve'): AbortSignal => whileMay(what, served, parts);
  if (before?.kind === 'verdict') return { handle, answered: before.op, lost: lost('approve') }; // TASK-2
  if (before !== undefined) return { handle, lost: lost('run') };
  if (fold.isOver) return refuseCall('over', run);
  const answered = opNamedIn(message) ?? parts.shown.last(parts.client, run);
  const waiting = fold.waiting();
  requirePermission(caller, answered === undefined && waiting.length === 0 ? 'run' : 'approve');
  if (answered === undefined) {
    if (waiting.length > 0) return fail('request/invalid', unnamed(run));
    await context.engine.control(run, { kind: 'send', id, by: caller.name, text: textOfMessage(message) });
    return { handle, lost: lost('run') };
  }
  const question = waiting.find(({ path }) => path === answered.op);
  if (question === undefined) return over(answered.op, fold, parts);
  const verdict = verdictOf(answered, answerIn(message, question), caller.name);
  await context.engine.control(run, { ...verdict, id } as ControlMessage);
  return { handle, answered: question.path, lost: lost('approve') };
}

const unnamed = (run: RunId): string =>
  `Task ${run} waits for an answer, and what it asks was not shown to this client. Ask for the task, and answer what its ` +
  `status asks, or name the op in the message's metadata: {"${OP_KEY}": "…"}.`;

/** The client learns that what it was shown is over. Its next message is no answer to it any more. */
function over(op: OpPath, fold: TaskFold, { shown, client }: TaskParts): never {
  const { id } = fold.task();
  shown.note(client, id, undefined);
  const verdict = fold.decided(op);
  if (verdict !== undefined) throw new FaultError(decidedFault(op, verdict));
  return fail('approval/unknown', `No op ${op} of task ${id} waits for a person.`);
}

/** The task as it is sent to the client, which was shown then what it waits for. */
function shownTask(fold: TaskFold, parts: TaskParts, historyLength?: number): Task {
  noteShown(parts)(fold);
  return withHistoryLength(fold.task(), historyLength);
}

const noteShown =
  ({ shown, client }: TaskParts) =>
  (fold: TaskFold): void =>
    shown.note(client, fold.task().id, fold.isOver ? undefined : fold.asks());

/** The task of this agent as its journal has it. Throws `run/unknown`. */
async function recordedTask(run: RunId, served: ServedAgent, { caller, context }: TaskParts): Promise<TaskFold> {
  requirePermission(caller, 'see');
  const summary = await seenStore(caller, context).summary(run);
  if (!isRunOf(summary, served, context)) fail('run/unknown', `There is no task ${run}.`);
  const fold = new TaskFold(run, context);
  for await (const event of context.store.read(run)) fold.add(event);
  return fold;
}

/** The task when it is over or waits for a person, or at once if the client does not want to wait. */
async function settledTask(
  { handle, answered, lost }: SentTo,
  params: SendMessageRequest,
  { context }: TaskParts,
): Promise<TaskFold> {
  const isImpatient = params.configuration?.returnImmediately === true;
  const fold = new TaskFold(handle.run, context, answered);
  const known = params.message?.taskId === '' ? 0 : (await context.store.summary(handle.run)).events;
  for await (const event of whileAllowed(handle.events(), lost)) {
    fold.add(event);
    if (event.seq < known - 1) continue; // an answer that is recorded already may come
    if (isImpatient || fold.waiting().length > 0) break;
  }
  return fold;
}

async function cancelled(run: RunId, served: ServedAgent, parts: TaskParts): Promise<Task> {
  const { isOver } = await recordedTask(run, served, parts);
  requirePermission(parts.caller, 'run');
  if (isOver) return refuseCall('not-cancelable', run);
  const handle = parts.context.engine.handle(run);
  const accepted = await handle.cancel(`Cancelled by ${parts.caller.name}.`);
  if (accepted === 'taken') await unlessLost(handle.outcome(), whileMay('run', served, parts));
  return shownTask(await recordedTask(run, served, parts), parts);
}

const PAGE = 20;

async function listedTasks(
  { contextId, pageSize = PAGE, pageToken, historyLength, includeArtifacts }: ListTasksRequest,
  served: ServedAgent,
  parts: TaskParts,
): Promise<ListTasksResponse> {
  const { caller, context } = parts;
  requirePermission(caller, 'see');
  const { items, next = '' } = await context.engine.runs({
    agent: served.agent.name,
    limit: Math.min(Math.max(1, pageSize), 100),
    ...(contextId !== '' && { thread: contextId }),
    ...(pageToken !== '' && { before: pageToken }),
  });
  const tasks: Task[] = [];
  for (const one of items) {
    if (!maySee(one, caller, context) || !isRunOf(one, served, context)) continue;
    const task = shownTask(await recordedTask(one.run, served, parts), parts, historyLength);
    tasks.push(includeArtifacts === true ? task : { ...task, artifacts: [] });
  }
  return { tasks, nextPageToken: next, pageSize: tasks.length, totalSize: tasks.length };
}

/** All of its messages, or the last of them. */
const withHistoryLength = (task: Task, length: number | undefined): Task =>
  length === undefined ? task : { ...task, history: length === 0 ? [] : task.history.slice(-length) };
