// What waits for a person in any run, and the answer.

import { pinnedConfig } from '../../engine/history/pinned.ts';
import { startOf } from '../../engine/history/replay.ts';
import { askedTool } from '../../engine/inspect/asked-tool.ts';
import { approvalsOf } from '../../engine/remote/waiting-approvals.ts';
import type { RunId } from '../../journal/event.ts';
import type { AskedCall, AskedTool } from '../../kernel/approval.ts';
import { FaultError } from '../../kernel/fault.ts';
import type { JsonSchema } from '../../kernel/schema.ts';
import type { Caller } from '../auth/caller.ts';
import type { ServerContext } from '../context.ts';
import type { ApprovalInfo, ApprovalList, DecidedInfo, GivenVerdict, UntakenInfo } from '../protocol.ts';
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
    asker: { type: 'string', description: "The agent that asks: the run's own, or one below it." },
    prompt: TEXT,
    about: { description: 'The call that is asked about: its tool, its arguments, and what it would do.' },
    at: { type: 'number', description: 'When it began to wait.' },
    digest: { type: 'string', description: 'Names what is asked. The verdict gives it back as `seen`.' },
    shown: {
      type: 'string',
      description:
        'What is asked, to be shown to a person: every argument, long values cut with their size, and characters that hide or turn text written as escapes.',
    },
    tool: having(
      {
        repeat: {
          enum: ['safe', 'never', 'decided'],
          description:
            'What happens to a call that breaks off: `safe`: it is made again. `never`: the model is told that its outcome is unknown. `decided`: the tool finds out whether it took effect.',
        },
        request: having({ method: TEXT, url: { type: 'string', description: 'Without secrets.' } }, ['method', 'url']),
      },
      ['repeat'],
    ),
  },
  ['run', 'agent', 'state', 'path', 'asker', 'prompt', 'at', 'digest', 'shown'],
);

const VERDICT: JsonSchema = {
  type: 'object',
  description: '`approved`, and `note`, `by` and `answer` where they were given.',
};

const UNTAKEN: JsonSchema = { allOf: [APPROVAL, having({ verdict: VERDICT }, ['verdict'])] };

const MOST_DECIDED = 100;

const DECIDED = having(
  {
    run: TEXT,
    agent: TEXT,
    state: TEXT,
    path: TEXT,
    asker: TEXT,
    prompt: TEXT,
    about: {},
    at: { type: 'number' },
    decidedAt: { type: 'number' },
    verdict: VERDICT,
    call: { type: 'object', description: 'The call that was made, how it ended, and the beginning of its answer.' },
    outcome: TEXT,
  },
  ['run', 'agent', 'state', 'path', 'asker', 'prompt', 'at', 'decidedAt', 'verdict'],
);

export const approvalRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/approvals',
    name: 'listApprovals',
    tag: 'approvals',
    summary: 'The calls and questions that wait for a person, in any run, oldest first.',
    permission: 'see',
    query: {
      run: { schema: TEXT, description: 'Only those of this run.' },
      decided: {
        schema: { type: 'integer', minimum: 1, maximum: MOST_DECIDED },
        description: 'Also so many of those that were decided last, newest first, with what came of the call.',
      },
    },
    answers: {
      200: {
        description:
          'What waits. `untaken`: what was decided in a run that no process works on, which takes it first when it goes on.',
        schema: having({ waiting: arrayOf(APPROVAL), untaken: arrayOf(UNTAKEN), decided: arrayOf(DECIDED) }, [
          'waiting',
          'untaken',
        ]),
      },
    },
    answer: async ({ caller, query }, context) => {
      const { run: asked, decided: most } = query;
      const open = await openFor(caller, context, asked === undefined ? undefined : String(asked));
      const decided =
        most === undefined
          ? undefined
          : await decidedLast(Number(most), asked === undefined ? undefined : String(asked), caller, context);
      const body: ApprovalList = decided === undefined ? open : { ...open, decided };
      return json(body);
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
          seen: {
            type: 'string',
            description:
              'The `digest` of what the person was shown. Where the op asks for something else by now, the answer is refused. Without it, the op is answered as it is recorded.',
          },
        },
        ['approved'],
      ),
      required: true,
    },
    answers: { 200: { description: 'The run has taken it, or takes it first when it goes on.', schema: ACCEPTED } },
    faults: [
      'run/unknown',
      'approval/unknown',
      'approval/decided',
      'approval/changed',
      'approval/answer',
      'run/finished',
      'run/locked',
    ],
    answer: async ({ params, caller, body }, context) => {
      const { run } = await visibleRun(params['run'] ?? '', caller, context);
      const op = params['path'] ?? '';
      return json(await sent(run, { kind: 'verdict', op, ...(body as GivenVerdict) }, caller, context));
    },
  },
];

/** What no run has taken a verdict for, oldest first. */
async function openFor(
  caller: Caller,
  context: ServerContext,
  asked: string | undefined,
): Promise<Pick<ApprovalList, 'waiting' | 'untaken'>> {
  const waiting: ApprovalInfo[] = [];
  const untaken: UntakenInfo[] = [];
  const add = async (run: RunId, agent: string, state: ApprovalInfo['state']): Promise<void> => {
    const found = await approvalsOf(run, context.store);
    for (const one of found.untaken) untaken.push({ run, agent, state, ...one });
    if (found.waiting.length === 0) return;
    const toolOf = await toolsAskedAbout(run, context);
    for (const one of found.waiting) {
      const tool = await toolOf(one.about);
      waiting.push({ run, agent, state, ...one, ...(tool && { tool }) });
    }
  };
  if (asked !== undefined) {
    const { run, agent, state } = await visibleRun(asked, caller, context);
    await add(run, agent, state);
    return { waiting, untaken };
  }
  for (let before: RunId | undefined; ; ) {
    const page = await visibleRuns({ waiting: true, ...(before !== undefined && { before }) }, caller, context);
    for (const { run, agent, prefix, state } of page.items) await add(run, (prefix ?? '') + agent, state);
    if (page.next === undefined) break;
    before = page.next;
  }
  const oldestFirst = (one: ApprovalInfo, other: ApprovalInfo): number => one.at - other.at;
  return { waiting: waiting.sort(oldestFirst), untaken: untaken.sort(oldestFirst) };
}

type LookUp = (about: unknown) => Promise<AskedTool | undefined>;

/** A run whose configuration is gone still waits: nothing is said of its tools then. */
async function toolsAskedAbout(run: RunId, { store, cadres, engine }: ServerContext): Promise<LookUp> {
  try {
    for await (const event of store.read(run)) {
      const start = startOf([event]);
      const { folder } = start;
      const config = await pinnedConfig(start, store);
      const atWork = engine.isAtWork(run) ? cadres.ofFolder(folder)?.host : undefined;
      return (about) => askedTool((about ?? {}) as Partial<AskedCall>, { config, folder }, atWork);
    }
  } catch (thrown) {
    if (!(thrown instanceof FaultError)) throw thrown;
  }
  return async () => undefined;
}

/** How many of the newest runs are looked at. */
const LOOKED_AT = 500;

/** Those of the newest runs. Each journal is read, so no more of them than are asked for. */
async function decidedLast(
  most: number,
  asked: string | undefined,
  caller: Caller,
  context: ServerContext,
): Promise<readonly DecidedInfo[]> {
  const items =
    asked === undefined
      ? (await visibleRuns({ limit: LOOKED_AT }, caller, context)).items
      : [await visibleRun(asked, caller, context)];
  const found: DecidedInfo[] = [];
  for (const { run, agent, prefix, state, outcome } of items.filter((row) => (row.decided ?? 0) > 0)) {
    if (found.length >= most) break;
    const { settled } = await approvalsOf(run, context.store);
    const whose = { run, agent: (prefix ?? '') + agent, state, ...(outcome !== undefined && { outcome }) };
    for (const one of settled) found.push({ ...whose, ...one });
  }
  return found.sort((one, other) => other.decidedAt - one.decidedAt).slice(0, most);
}
