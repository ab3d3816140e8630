// The requests of A2A about one agent, on the engine: a run is a task, and a thread is its context. The package reads
// and writes the protocol.
// TASK-1. A task has an id by which anyone who may see it asks for it again. So a connection that closes cancels
//         nothing: `tasks/cancel` does.

import type { ListTasksRequest, ListTasksResponse, Message, SendMessageRequest, Task } from '@a2a-js/sdk';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import type { RunId } from '../../../journal/event.ts';
import { fail } from '../../../kernel/fault.ts';
import { unlessLost, whileAllowed } from '../../auth/access.ts';
import { requirePermission } from '../../auth/caller.ts';
import type { ServedAgent } from '../../cadres/served-cadres.ts';
import { isRunOf, maySee, seenStore } from '../../runs/seen-store.ts';
import { startAsked } from '../asked-run.ts';
import { conversationOf } from '../conversation.ts';
import { type HeadParts, mayWith } from '../head-host.ts';
import { verdictOf } from '../person-question.ts';
import { agentCard } from './agent-card.ts';
import { refused, translated } from './refused.ts';
import { answerIn, textOfMessage } from './said-by-client.ts';
import { type TaskFold, taskFold } from './task.ts';
import { type SentTo, taskUpdates } from './task-updates.ts';

export interface TaskParts extends HeadParts {
  /** Where messages to the agent go. */
  readonly url: string;
  readonly version: string;
}

export function taskRequests(served: ServedAgent, parts: TaskParts): A2ARequestHandler {
  const { context } = parts;
  const { engine } = context;
  const inItsWords = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    try {
      return await work();
    } catch (thrown) {
      return translated(thrown, context);
    }
  };
  const inItsOwn = async function* <Item>(items: AsyncGenerator<Item>): AsyncGenerator<Item, void, undefined> {
    try {
      yield* items;
    } catch (thrown) {
      await translated(thrown, context);
    }
  };
  return {
    getAgentCard: async () => agentCard(served, parts.url, parts.version),
    getAuthenticatedExtendedAgentCard: () => refused('extended-card'),
    sendMessage: (params) =>
      inItsWords(async () => {
        const sent = await send(params, served, parts);
        return withHistoryLength(await settledTask(sent, params, parts), params.configuration?.historyLength);
      }),
    async *sendMessageStream(params) {
      yield* inItsOwn(taskUpdates(await inItsWords(() => send(params, served, parts)), served, context));
    },
    async *resubscribe({ id }) {
      const { isOver } = await inItsWords(() => recordedTask(id, served, parts));
      if (isOver) await refused('over', id);
      const lost = whileMay('see', served, parts);
      yield* inItsOwn(taskUpdates({ handle: engine.handle(id), lost }, served, context));
    },
    getTask: ({ id, historyLength }) =>
      inItsWords(async () => withHistoryLength((await recordedTask(id, served, parts)).task(), historyLength)),
    listTasks: (params) => inItsWords(() => listedTasks(params, served, parts)),
    cancelTask: ({ id }) => inItsWords(() => cancelled(id, served, parts)),
    createTaskPushNotificationConfig: () => refused('push'),
    getTaskPushNotificationConfig: () => refused('push'),
    listTaskPushNotificationConfigs: () => refused('push'),
    deleteTaskPushNotificationConfig: () => refused('push'),
  };
}

/** A message with a task answers what it waits for, or adds to it. One without begins another task. */
async function send(params: SendMessageRequest, served: ServedAgent, parts: TaskParts): Promise<SentTo> {
  const { message, configuration } = params;
  if (message === undefined) return fail('request/invalid', 'The message is missing.');
  if (configuration?.taskPushNotificationConfig !== undefined) return refused('push');
  if (message.taskId !== '') return answerTask(message.taskId, message, served, parts);
  requirePermission(parts.caller, 'run');
  const conversation = conversationOf([{ role: 'user', text: textOfMessage(message) }]);
  const thread = message.contextId === '' ? undefined : message.contextId;
  const { handle } = await startAsked({ served, conversation, named: { thread } }, parts);
  return { handle, lost: whileMay('run', served, parts) };
}

const whileMay = (what: 'see' | 'run' | 'approve', { name }: ServedAgent, { access }: TaskParts): AbortSignal =>
  access.while((now) => mayWith(now, what, name));

async function answerTask(run: RunId, message: Message, served: ServedAgent, parts: TaskParts): Promise<SentTo> {
  const { caller, context } = parts;
  const fold = await recordedTask(run, served, parts);
  if (fold.isOver) return refused('over', run);
  const [question] = fold.waiting();
  requirePermission(caller, question === undefined ? 'run' : 'approve');
  const handle = context.engine.handle(run);
  if (question === undefined) {
    await handle.send(textOfMessage(message));
    return { handle, lost: whileMay('run', served, parts) };
  }
  await handle.control(verdictOf(question.path, answerIn(message, question), caller.name));
  return { handle, answered: question.path, lost: whileMay('approve', served, parts) };
}

/** The task of this agent as its journal has it. Throws `run/unknown`. */
async function recordedTask(run: RunId, served: ServedAgent, { caller, context }: TaskParts): Promise<TaskFold> {
  requirePermission(caller, 'see');
  const summary = await seenStore(caller, context).summary(run);
  if (!isRunOf(summary, served, context)) fail('run/unknown', `There is no task ${run}.`);
  const fold = taskFold(run, context);
  for await (const event of context.store.read(run)) fold.add(event);
  return fold;
}

/** The task when it is over or waits for a person, or at once if the client does not want to wait. */
async function settledTask(
  { handle, answered, lost }: SentTo,
  params: SendMessageRequest,
  { context }: TaskParts,
): Promise<Task> {
  const isImpatient = params.configuration?.returnImmediately === true;
  const fold = taskFold(handle.run, context, answered);
  const known = params.message?.taskId === '' ? 0 : (await context.store.summary(handle.run)).events;
  for await (const event of whileAllowed(handle.events(), lost)) {
    fold.add(event);
    if (event.seq < known - 1) continue; // an answer that is recorded already may come
    if (isImpatient || fold.waiting().length > 0) break;
  }
  return fold.task();
}

async function cancelled(run: RunId, served: ServedAgent, parts: TaskParts): Promise<Task> {
  const { isOver } = await recordedTask(run, served, parts);
  requirePermission(parts.caller, 'run');
  if (isOver) return refused('not-cancelable', run);
  const handle = parts.context.engine.handle(run);
  const accepted = await handle.cancel(`Cancelled by ${parts.caller.name}.`);
  if (accepted === 'taken') await unlessLost(handle.outcome(), whileMay('run', served, parts));
  return (await recordedTask(run, served, parts)).task();
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
    const task = withHistoryLength((await recordedTask(one.run, served, parts)).task(), historyLength);
    tasks.push(includeArtifacts === true ? task : { ...task, artifacts: [] });
  }
  return { tasks, nextPageToken: next, pageSize: tasks.length, totalSize: tasks.length };
}

/** All of its messages, or the last of them. */
const withHistoryLength = (task: Task, length: number | undefined): Task =>
  length === undefined ? task : { ...task, history: length === 0 ? [] : task.history.slice(-length) };
