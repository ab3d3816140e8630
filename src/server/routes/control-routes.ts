// Messages to a run of any process, and taking up one that was broken off: as on the command line.

import type { UnsentMessage } from '../../engine/contract.ts';
import { newMessage } from '../../engine/handle.ts';
import type { RunId } from '../../journal/event.ts';
import { faultOf, WITHOUT_REASON } from '../../kernel/fault.ts';
import { fenceData } from '../../patterns/fence.ts';
import type { Caller } from '../caller.ts';
import type { ServerContext } from '../context.ts';
import { ControlAccepted, EndRun, ResumedRun, ResumeRun, SendToRun } from '../messages/runs.ts';
import type { AttachedFile } from '../protocol.ts';
import { goOnWith } from '../runs/go-on.ts';
import { json, type Route, runRoute } from './route.ts';

export const CONTROL_ANSWERS = {
  200: { description: 'The run has taken it, or takes it first when it goes on.', body: ControlAccepted },
};

/** `usual` is the reason where the request gives none. */
const endRoute = (kind: 'stop' | 'cancel', summary: string, usual: string): Route =>
  runRoute({
    method: 'POST',
    path: `/api/runs/:run/${kind}`,
    name: `${kind}Run`,
    tag: 'control',
    summary,
    permission: 'run',
    body: EndRun,
    answers: CONTROL_ANSWERS,
    faults: ['run/finished', 'run/locked'],
    answer: async ({ row: { run }, caller, body: { reason = usual } }, context) =>
      json(await ended(run, { kind, reason }, caller, context)),
  });

export const controlRoutes: readonly Route[] = [
  endRoute('stop', 'Asks a run for its final answer; nothing new begins in it.', 'Stopped over HTTP.'),
  endRoute('cancel', 'Ends a run at once, with everything that it began.', WITHOUT_REASON),
  runRoute({
    method: 'POST',
    path: '/api/runs/:run/messages',
    name: 'sendToRun',
    tag: 'control',
    summary: "Sends a message to the run's own session, which reads it before its next turn.",
    permission: 'run',
    body: SendToRun,
    answers: CONTROL_ANSWERS,
    faults: ['run/finished', 'run/locked'],
    answer: async ({ row: { run }, caller, body }, context) => {
      const { text, files } = body;
      return json(await sendToRun(run, { kind: 'send', text: withFiles(text, files) }, caller, context));
    },
  }),
  runRoute({
    method: 'POST',
    path: '/api/runs/:run/resume',
    name: 'resumeRun',
    tag: 'control',
    summary: 'Goes on with a run that was broken off. No finished call is made again.',
    permission: 'manage',
    body: ResumeRun,
    answers: { 202: { description: 'It goes on.', body: ResumedRun } },
    faults: ['run/finished', 'run/locked', 'run/undone', 'config/pinned-only', 'server/draining'],
    answer: async ({ row: { run }, body }, context) => {
      await goOnWith(run, context, body);
      return json({ run }, 202);
    },
  }),
];

/**
 * A run that no process works on goes on, takes the message first, and so gets its end. If workers work on the runs, one of
 * them asks it for its answer; a cancel needs none of them.
 */
async function ended(
  run: RunId,
  saying: UnsentMessage,
  caller: Caller,
  context: ServerContext,
): Promise<ControlAccepted> {
  const { accepted } = await sendToRun(run, saying, caller, context);
  if (accepted === 'taken') return { accepted };
  const isLeft = context.runs.work === 'workers';
  const isEndedHere = isLeft && saying.kind === 'cancel';
  await (isEndedHere ? context.engine.endHere(run) : goOnWith(run, context)).catch(unlessTaken);
  return { accepted: isLeft && !isEndedHere ? 'waits' : 'taken' };
}

/** Another process took the run up at this moment: that one takes the message. */
function unlessTaken(thrown: unknown): void {
  if (faultOf(thrown).code !== 'run/locked') throw thrown;
}

export async function sendToRun(
  run: RunId,
  saying: UnsentMessage,
  caller: Caller,
  { engine }: ServerContext,
): Promise<ControlAccepted> {
  return { accepted: await engine.control(run, newMessage({ ...saying, by: caller.name })) };
}

/**
 * Text files that a person attaches to a message, in the form of `cadre run --file`: a section for each below the text,
 * between two lines that its text cannot hold, so that a file cannot pass for the request.
 */
function withFiles(text: string, files: readonly AttachedFile[] = []): string {
  const sections = files.map(({ name, text: held }) =>
    fenceData(plain(held), `file ${name.replaceAll(/\s+/g, ' ').trim()}`),
  );
  return [text, ...sections].join('\n\n');
}

const plain = (text: string): string => text.replace(/^\uFEFF/, '').replace(/\r?\n$/, '');
