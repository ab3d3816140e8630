// The process of one helper: reads its job from stdin, runs the same routine that would run in its parent, reports each
// model call as it ends, and hands back the output. It has no journal: its parent records what it is told.
// V1. When stdin ends, the parent is gone or wants us gone: the work is aborted.

import { createHash } from 'node:crypto';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Templated } from '../agents/definition.ts';
import { resolveTemplate } from '../agents/variables.ts';
import { readScript } from '../disk/regular.ts';
import type { ModelRequest, Settled } from '../kernel/effect.ts';
import { fail } from '../kernel/fault.ts';
import type { ToolCall, ToolResult } from '../kernel/message.ts';
import { ROOT } from '../kernel/path.ts';
import { listViolations } from '../kernel/schema.ts';
import { helperName, type SubagentResult } from '../kernel/subagent.ts';
import type { GatedModel } from '../models/gate.ts';
import { openRegistry } from '../models/registry.ts';
import { helper } from '../patterns/subagent/helper.ts';
import { filesSource } from '../tools/files/source.ts';
import { invoke, usualCapBytes } from '../tools/invoke.ts';
import { encodeChild, parseStart } from '../tools/subagent/contract.ts';
import { inProcess } from '../tools/subagent/in-process.ts';
import { cancelledBy, Stop } from '../world/abort.ts';
import { bounded, type Bounds } from '../world/bounded.ts';
import { openBoxes } from '../world/boxes.ts';
import { openOp } from '../world/drive.ts';
import { live } from '../world/live.ts';
import { nested } from '../world/nested.ts';
import { openSessions } from '../world/sessions.ts';
import { openPurse, type Purse } from '../world/purse.ts';
import type { Op, World } from '../world/world.ts';
import { nothingOutside } from '../world/yard/outside.ts';
import { openYard } from '../world/yard/yard.ts';
import { gated } from './gated.ts';
import { type Reporter, reporter, reportingCall } from './subagent-calls.ts';
import { services } from './services.ts';
import { HELPER_TOOLS } from './subagent.ts';
import type { SubagentJob } from './subagent-job.ts';

export async function serveSubagent(input: Readable, output: Writable): Promise<void> {
  const stop = new Stop();
  const job = await readJob(input, () => stop.abort(cancelledBy('The parent of this sub-agent is gone.'))); // V1
  const report = reporter((envelope) => void output.write(encodeChild(envelope)));
  const world = worldFor(job, report);
  const agent = helperName(job.effect.agent);
  const purse = purseFor(job);
  const place = { path: ROOT, scope: { agent, depth: 0, ...(purse && { purse }) }, signal: stop };
  const settled = await world.perform(job.effect, openOp(ROOT, place, world));
  if (!settled.ok) fail(settled.fault.code, settled.fault.message);
  const { text } = settled.value as SubagentResult;
  await new Promise<void>((written) => {
    output.write(encodeChild({ type: 'result', output: JSON.parse(text) }), () => written());
  });
  input.destroy();
}

/** The first line. Everything after it is only waited for to end. */
function readJob(input: Readable, gone: () => void): Promise<SubagentJob> {
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input });
    lines.once('line', (line) => {
      const parsed = parseStart(line);
      if ('envelope' in parsed) resolve(parsed.envelope.job as SubagentJob);
      else reject(new Error(`the start envelope is not understood:\n${listViolations(parsed.violations)}`));
    });
    lines.once('close', () => {
      gone();
      reject(new Error('stdin ended before a start envelope came. This command is for Cadre itself.'));
    });
  });
}

function worldFor(job: SubagentJob, report: Reporter): World {
  const boxes = openBoxes([], Date.now);
  const callModel = modelsOf(job, boxes.send, report);
  const files = filesSource(job.workspace, job.hidden);
  const leaves = live({
    callModel,
    callTool: (_agent, call, op) => callTool(call, op, files, job),
    askPerson: async () => ({ approved: false, note: 'Nobody is there to ask.' }),
    helpers: { run: () => fail('internal', 'a helper starts no process') },
    boxes,
    yard: openYard({ run: '', recorded: [], boxes, outside: nothingOutside, now: Date.now }),
    now: Date.now,
  });
  const routines = inProcess((effect, self) =>
    helper(effect, self, { parent: job.parent, tools: HELPER_TOOLS, form: 'text', services }),
  );
  const programs = (): never => fail('internal', 'a helper runs no other agent');
  const sessions = openSessions();
  const bounds: Bounds = {
    maxDepth: Number.MAX_SAFE_INTEGER,
    concurrency: job.parent.maxToolCallsPerTurn,
    of: () => ({}),
    spentBelow: () => ({ tokens: 0 }),
    now: Date.now,
  };
  return bounded(nested(leaves, programs, routines, sessions), bounds, sessions);
}

function purseFor({ effect, allowance }: SubagentJob): Purse | undefined {
  if (allowance === undefined) return undefined;
  const { allowUnpriced, ...own } = allowance;
  return openPurse({ agent: effect.agent, allowance: own, depth: 0, spent: { tokens: 0 }, allowUnpriced });
}

const NEARLY_SPENT = 0.8;

function modelsOf(job: SubagentJob, send: (session: string, text: string) => void, report: Reporter) {
  const registry = openRegistry<Templated>(job.sources, {
    env: (name) => process.env[name],
    fill: (value) => resolveTemplate(value, process.env),
    read: readScript,
  });
  return (request: ModelRequest, op: Op) => {
    const { purse } = op.scope;
    const remind = (): void => {
      const reminder = purse?.nearEnd(NEARLY_SPENT);
      if (reminder !== undefined) send(request.session, reminder);
    };
    const resolve = async (name: string): Promise<Settled<GatedModel>> => {
      const resolved = await registry.resolve(name);
      return resolved.ok ? { ok: true, value: gated(resolved.value, purse, remind) } : resolved;
    };
    return reportingCall(request, resolve, report, op.signal);
  };
}

async function callTool(
  call: ToolCall,
  op: Op,
  files: ReturnType<typeof filesSource>,
  job: SubagentJob,
): Promise<ToolResult> {
  const tool = (await files.tools()).find(({ spec }) => spec.name === call.name);
  if (tool === undefined) return fail('tool/unknown', `There is no tool ${call.name}.`);
  const context = { signal: op.signal, callKey: op.path, progress() {} };
  return invoke(tool, call, context, {
    timeoutMs: job.toolTimeoutMs,
    capBytes: usualCapBytes,
    keep: async (text) => createHash('sha256').update(text).digest('hex'),
  });
}
