// What waits for a person in any run, and the answer.

import { approvalsOf } from '../../engine/reach/waiting-approvals.ts';
import type { RunId } from '../../journal/event.ts';
import { FaultError } from '../../kernel/fault.ts';
import type { OpPath } from '../../kernel/path.ts';
import type { Caller } from '../auth/caller.ts';
import type { ServerContext } from '../context.ts';
import type { ApprovalInfo, GivenVerdict } from '../protocol.ts';
import { visibleRun, visibleRuns } from '../runs/visible-runs.ts';
import { sent } from './control-routes.ts';
import { json, type Route } from './route.ts';
import { ACCEPTED, arrayOf, exactly, having, RUN_PARAM, TEXT } from './schemas.ts';

const APPROVAL = having(
  {
    run: TEXT,
    agent: TEXT,
    state: TEXT,
    path: TEXT,
    prompt: TEXT,
    about: { description: 'The call that is asked about: its tool, its arguments, and what it would do.' },
    at: { type: 'number', description: 'When it began to wait.' },
  },
  ['run', 'agent', 'state', 'path', 'prompt', 'at'],
);

export const approvalRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/approvals',
    name: 'listApprovals',
    tag: 'approvals',
    summary: 'The calls and questions that wait for a person, in any run, oldest first.',
    permission: 'see',
    query: { run: { schema: TEXT, description: 'Only those of this run.' } },
    answers: { 200: { description: 'What waits.', schema: having({ waiting: arrayOf(APPROVAL) }, ['waiting']) } },
    answer: async ({ caller, query }, context) => {
      const asked = query['run'];
      const waiting = await waitingFor(caller, context, asked === undefined ? undefined : String(asked));
      return json({ waiting });
    },
  },
  {
    method: 'POST',
    path: '/api/runs/:run/ops/:path/verdict',
    name: 'giveVerdict',
    tag: 'approvals',
    summary: 'Answers a call or a question that waits. The first answer counts.',
    permission: 'approve',
    params: {
      run: RUN_PARAM,
      path: {
        schema: { type: 'string', pattern: '^[0-9]+(\\.[0-9]+)*$', maxLength: 500 },
        description: 'The op that waits.',
        required: true,
      },
    },
    body: {
      schema: exactly(
        {
          approved: { type: 'boolean' },
          note: { type: 'string', maxLength: 10_000, description: 'Why. The agent reads it if the answer is no.' },
          scope: { const: 'run', description: 'A yes that also holds for the same question later in this run.' },
          answer: { type: 'string', description: 'The answer to a question of `ask_person`.' },
        },
        ['approved'],
      ),
      required: true,
    },
    answers: { 200: { description: 'The run has taken it, or takes it first when it goes on.', schema: ACCEPTED } },
    faults: ['run/unknown', 'approval/unknown', 'approval/decided', 'run/finished', 'run/locked'],
    answer: async ({ params, caller, body }, context) => {
      const { run } = await visibleRun(params['run'] ?? '', caller, context);
      return json(await decide(run, params['path'] ?? '', body as GivenVerdict, caller, context));
    },
  },
];

async function waitingFor(
  caller: Caller,
  context: ServerContext,
  asked: string | undefined,
): Promise<readonly ApprovalInfo[]> {
  const found: ApprovalInfo[] = [];
  const add = async (run: RunId, agent: string, state: ApprovalInfo['state']): Promise<void> => {
    const { waiting } = await approvalsOf(run, context.store);
    for (const one of waiting) found.push({ run, agent, state, ...one });
  };
  if (asked !== undefined) {
    const { run, agent, state } = await visibleRun(asked, caller, context);
    await add(run, agent, state);
    return found;
  }
  for (let before: RunId | undefined; ; ) {
    const page = await visibleRuns({ waiting: true, ...(before !== undefined && { before }) }, caller, context);
    for (const { run, agent, prefix, state } of page.items) await add(run, (prefix ?? '') + agent, state);
    if (page.next === undefined) break;
    before = page.next;
  }
  return found.sort((one, other) => one.at - other.at);
}

/** Where somebody else was first, the problem says who. */
async function decide(run: RunId, op: OpPath, given: GivenVerdict, caller: Caller, context: ServerContext) {
  try {
    return await sent(run, { kind: 'verdict', op, ...given }, caller, context);
  } catch (thrown) {
    if (!(thrown instanceof FaultError) || thrown.fault.code !== 'approval/decided') throw thrown;
    const { decided } = await approvalsOf(run, context.store);
    const { by, approved } = decided.get(op) ?? {};
    throw new FaultError({
      ...thrown.fault,
      details: { ...(by !== undefined && { by }), ...(approved !== undefined && { approved }) },
    });
  }
}
