// The process of one helper: reads its job from stdin, runs the same routine that would run in its parent, reports each
// model call as it ends, and hands back the output. Its parent records these; its own journal is not kept.
// V1. When stdin ends, the parent is gone or wants this process to end: the work is aborted.
// V2. It asks no person and makes no tool call itself: its parent does both, and the call waits for what comes back.
// V3. Of secrets it has those of its own models. They are redacted here, because what is cut here cannot be redacted later;
//     all others are redacted by its parent.

import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Templated } from '../../agents/definition.ts';
import { resolveTemplate, resolveTemplates } from '../../agents/read/variables.ts';
import { readScript } from '../../disk/regular.ts';
import { openJournal } from '../../journal/journal.ts';
import type { RunLease } from '../../journal/log.ts';
import type { ModelRequest, Settled, Verdict } from '../../kernel/effect.ts';
import { type Fault, fail, fault } from '../../kernel/fault.ts';
import type { ToolCall, ToolResult } from '../../kernel/message.ts';
import { ROOT } from '../../kernel/path.ts';
import { listViolations } from '../../kernel/schema.ts';
import { helperName, type SubagentResult } from '../../kernel/subagent.ts';
import type { GatedModel } from '../../models/gate.ts';
import { openModelRegistry } from '../../models/registry/model-registry.ts';
import { helper } from '../../patterns/subagent/helper.ts';
import { collectSecrets } from '../../secrets/configured.ts';
import { redactedFault } from '../../secrets/redacted-value.ts';
import { openSecrets } from '../../secrets/secrets.ts';
import { cancelledBy, orAborted, Stop } from '../../world/abort.ts';
import { type Bounds, bounded } from '../../world/bounded.ts';
import { openOp } from '../../world/drive.ts';
import { live } from '../../world/live.ts';
import { nested } from '../../world/nested.ts';
import { recorder } from '../../world/record/recorder.ts';
import { redacted } from '../../world/redacted.ts';
import { openBackgroundRuns } from '../../world/state/background-runs/background-runs.ts';
import { nothingOutside } from '../../world/state/background-runs/outside.ts';
import { openRunBudget, type RunBudget } from '../../world/state/budgets.ts';
import { openInboxes } from '../../world/state/inboxes.ts';
import { openSessions } from '../../world/state/sessions.ts';
import type { Op, World } from '../../world/world.ts';
import { withReminder } from '../reminder.ts';
import { gated } from '../resources/gated.ts';
import { services } from '../services.ts';
import { type Reporter, reporter, reportingCall } from './calls.ts';
import { type ChildEnvelope, type ChildQuestion, encodeChild, parseAnswer, parseStart } from './contract.ts';
import { inProcess } from './in-process.ts';
import type { SubagentJob } from './job.ts';
import { HELPER_TOOLS } from './subagent.ts';

export async function serveSubagent(input: Readable, output: Writable): Promise<void> {
  const stop = new Stop();
  const emit = (envelope: ChildEnvelope): void => void output.write(encodeChild(envelope));
  const parent = listen(input, emit, (why) => stop.abort(cancelledBy(why))); // V1
  const job = await parent.job;
  const world = worldFor(job, reporter(emit), parent);
  const agent = helperName(job.effect.agent);
  const runBudget = runBudgetFor(job);
  const place = { path: ROOT, scope: { agent, depth: 0, ...(runBudget && { runBudget }) }, signal: stop };
  const settled = await world.perform(job.effect, openOp(ROOT, place, world));
  if (!settled.ok) fail(settled.fault.code, settled.fault.message);
  const { text } = settled.value as SubagentResult;
  await new Promise<void>((written) => {
    output.write(encodeChild({ type: 'result', output: JSON.parse(text) }), () => written());
  });
  input.destroy();
}

interface Parent {
  readonly job: Promise<SubagentJob>;
  /** V2. */
  ask(call: ToolCall): Promise<Verdict>;
  /** V2. */
  make(call: ToolCall): Promise<ToolResult>;
}

/** The first line is the job, each further one an answer. */
function listen(input: Readable, emit: (envelope: ChildEnvelope) => void, gone: (why: string) => void): Parent {
  const verdicts = new Map<number, (verdict: Verdict) => void>();
  const results = new Map<number, (result: ToolResult) => void>();
  let questions = 0;
  const put = (type: ChildQuestion['type'], call: ToolCall): number => {
    questions += 1;
    emit({ type, id: questions, call });
    return questions;
  };
  const hear = (line: string): void => {
    const parsed = parseAnswer(line);
    if ('violations' in parsed)
      return gone(`The parent of this sub-agent sent a bad message: ${listViolations(parsed.violations)}`);
    const { envelope } = parsed;
    if (envelope.type === 'tool-result') results.get(envelope.id)?.(envelope.result);
    else {
      const { approved, note } = envelope;
      verdicts.get(envelope.id)?.({ approved, ...(note !== undefined && { note }) });
    }
    results.delete(envelope.id);
    verdicts.delete(envelope.id);
  };
  const job = new Promise<SubagentJob>((resolve, reject) => {
    const lines = createInterface({ input });
    lines.once('line', (line) => {
      const parsed = parseStart(line);
      if ('envelope' in parsed) resolve(parsed.envelope.job as SubagentJob);
      else reject(new Error(`the start envelope is not understood:\n${listViolations(parsed.violations)}`));
      lines.on('line', hear);
    });
    lines.once('close', () => {
      gone('The parent of this sub-agent is gone.');
      reject(new Error('stdin ended before a start envelope came. This command is for Cadre itself.'));
    });
  });
  return {
    job,
    ask: (call) => new Promise((resolve) => void verdicts.set(put('approve', call), resolve)),
    make: (call) => new Promise((resolve) => void results.set(put('tool', call), resolve)),
  };
}

function worldFor(job: SubagentJob, report: Reporter, parent: Parent): World {
  const inboxes = openInboxes({ sessionOf: () => undefined, now: Date.now });
  const secrets = openSecrets((add) => collectSecrets(job.sources, {}, process.env, add)); // V3
  const callModel = modelsOf(job, report, (fault) => redactedFault(fault, secrets));
  const leaves = live({
    callModel,
    callTool: ({ call }, op) => orAborted(parent.make(call), op.signal),
    previewTool: ({ call }) => fail('internal', `${call.name} asks no person here`),
    askPerson: (_prompt, about) => parent.ask(about as ToolCall),
    helpers: { run: () => fail('internal', 'a helper starts no process') },
    inboxes,
    backgroundRuns: openBackgroundRuns({ run: '', outside: nothingOutside, now: Date.now }),
    changedTools: undefined,
    now: Date.now,
  });
  const routines = inProcess((effect, self) =>
    helper(effect, self, { parent: job.parent, tools: HELPER_TOOLS, approve: job.approve, form: 'text', services }),
  );
  const programs = (): never => fail('internal', 'a helper runs no other agent');
  const sessions = openSessions();
  const bounds: Bounds = {
    maxDepth: Number.MAX_SAFE_INTEGER,
    concurrency: job.parent.maxToolCallsPerTurn,
    of: () => ({}),
    spentBelow: () => ({ tokens: 0 }),
    now: Date.now,
    workTime: (moment) => moment,
  };
  const world = bounded(nested(redacted(leaves, secrets), programs, routines, sessions), bounds, sessions);
  const journal = openJournal(NOT_KEPT, { now: Date.now });
  return recorder(world, { journal, run: '', state: inboxes });
}

/** The helper's events change the state of its session, and are lost when its process ends. */
const NOT_KEPT: RunLease = { append() {}, async release() {} };

function runBudgetFor({ effect, budgetLimits, isCounted }: SubagentJob): RunBudget | undefined {
  if (budgetLimits === undefined && !isCounted) return undefined;
  const { allowUnpriced = true, ...own } = budgetLimits ?? {};
  const { agent } = effect;
  const runBudget = openRunBudget({ agent, budgetLimits: own, depth: 0, spent: { tokens: 0 }, allowUnpriced });
  return isCounted ? { ...runBudget, admit: (depth) => (depth > 1 ? uncounted(agent) : undefined) } : runBudget;
}

const uncounted = (agent: string): Fault =>
  fault(
    'budget/exceeded',
    `The budget that ${agent} works under counts sessions or levels, and a sub-agent in a process of its own cannot count ` +
      'its helpers. Do the task yourself; `runner: in-process` would allow it.',
  );

function modelsOf(job: SubagentJob, report: Reporter, told: (fault: Fault) => Fault) {
  const registry = openModelRegistry<Templated>(job.sources, {
    env: (name) => process.env[name],
    fill: (value) => resolveTemplate(value, process.env),
    fillOptions: (options) => resolveTemplates(options, process.env) as object,
    read: readScript,
  });
  return async (request: ModelRequest, op: Op) => {
    const { runBudget } = op.scope;
    const resolve = async (name: string): Promise<Settled<GatedModel>> => {
      const resolved = await registry.resolve(name);
      return resolved.ok ? { ok: true, value: gated(resolved.value, { runBudget }) } : resolved;
    };
    const reply = await reportingCall(request, resolve, report, op.signal, told);
    return runBudget === undefined ? reply : withReminder(reply, request.session, runBudget);
  };
}
