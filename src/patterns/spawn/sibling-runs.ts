// The companions of sessions_spawn: they list, await, end and message the runs below this session, and no others.

import { present } from '../../base/text/present.ts';
import { perform, type Routine, type SessionRef } from '../../kernel/effect.ts';
import { errorResult, okResult, type ToolCall, type ToolResult } from '../../kernel/message.ts';
import { isWithin } from '../../kernel/path.ts';
import type { LastingFacts, SessionTool } from '../../kernel/session/session-tool.ts';
import { isOver, type SpawnId, type SpawnReport } from '../../kernel/spawned.ts';
import { fenceData, ROOMY, shortenText } from '../fence.ts';
import { jsonLine, quoteText } from '../quote-text.ts';
import { resultText } from '../run-agent.ts';
import { BRIEF_SPECS } from './brief-specs.ts';
import type { Family } from './family.ts';
import { FULL_SPECS } from './full-specs.ts';
import { fromParent } from './pass-on.ts';

/** The session that spawned the runs. */
interface Overseer {
  readonly agent: string;
  readonly session: SessionRef;
  readonly family: Family;
}

/** `isBrief`: the model reads the short texts. */
export const siblingRuns = (of: Overseer, isBrief: boolean): readonly SessionTool[] => [
  { ...told('status', isBrief), readOnly: true, run: (call) => status(of, call) },
  { ...told('wait', isBrief), readOnly: true, run: (call) => wait(of, call) },
  { ...told('result', isBrief), readOnly: true, run: (call) => result(of, call) },
  { ...told('list', isBrief), readOnly: true, lasting: () => standings(of), run: () => list(of) },
  { ...told('cancel', isBrief), run: (call) => cancel(of, call) },
  { ...told('send', isBrief), run: (call) => send(of, call) },
];

/** To wait for others is no circle. */
const told = (name: keyof typeof FULL_SPECS, isBrief: boolean) =>
  ({
    spec: (isBrief ? BRIEF_SPECS : FULL_SPECS)[name],
    held: FULL_SPECS[name].parameters,
    uncounted: true,
  }) as const;

interface RunNames {
  readonly runId?: string;
  readonly label?: string;
  readonly runIds?: readonly string[];
  readonly labels?: readonly string[];
  readonly groupId?: string;
}

/** The runs that a call names, or all of the session's own if it names none. */
function* meant(
  of: Overseer,
  call: ToolCall,
): Routine<{ readonly runs: readonly SpawnId[] } | { readonly error: ToolResult }> {
  const { runId, label, runIds = [], labels = [], groupId } = (call.arguments ?? {}) as RunNames;
  const names = [...runIds, ...labels, ...[runId, label, groupId].filter((name) => name !== undefined)];
  if (names.length === 0) return { runs: of.family.members().map(({ run }) => run) };
  const runs = new Set<SpawnId>();
  let below: readonly SpawnReport[] | undefined;
  for (const name of names) {
    const found = of.family.find(name);
    if ('members' in found) {
      for (const { run } of found.members) runs.add(run);
      continue;
    }
    below ??= yield* reportsBelow(of);
    if (!below.some(({ run }) => run === name)) return { error: errorResult(found.error) };
    runs.add(name);
  }
  return { runs: [...runs] };
}

function* reportsBelow({ session }: Overseer): Routine<readonly SpawnReport[]> {
  const settled = yield* perform<'runs'>({ kind: 'runs', below: session });
  return settled.ok ? settled.value : [];
}

function* status(of: Overseer, call: ToolCall): Routine<ToolResult> {
  const found = yield* meant(of, call);
  if ('error' in found) return found.error;
  const settled = yield* perform<'runs'>({ kind: 'runs', runs: found.runs });
  if (!settled.ok) return errorResult(settled.fault.message);
  return okResult(jsonLine({ runs: settled.value.map(runStanding) }));
}

/** The status of a run: the exact state, and one of the four coarse words. */
function runStanding(report: SpawnReport): Readonly<Record<string, unknown>> {
  const { run, label, agent, state, after, waitingFor = after, group, fault } = report;
  return {
    runId: run,
    label,
    agent,
    status: coarse(state),
    state,
    ...present({ waitingFor: state === 'waiting' ? waitingFor : undefined, groupId: group, error: fault?.message }),
  };
}

export function coarse(state: SpawnReport['state']): 'pending' | 'running' | 'completed' | 'failed' {
  if (state === 'waiting' || state === 'queued') return 'pending';
  if (state === 'running') return 'running';
  return state === 'answered' ? 'completed' : 'failed';
}

function* wait(of: Overseer, call: ToolCall): Routine<ToolResult> {
  const found = yield* meant(of, call);
  if ('error' in found) return found.error;
  const { runs } = found;
  if (runs.length === 0) return errorResult('There is nothing to wait for: no run was spawned.');
  const { mode = 'all', timeoutSeconds } = (call.arguments ?? {}) as {
    readonly mode?: 'all' | 'any' | number;
    readonly timeoutSeconds?: number;
  };
  const need = mode === 'all' ? runs.length : mode === 'any' ? 1 : Math.min(mode, runs.length);
  const settled = yield* perform<'await-runs'>({
    kind: 'await-runs',
    runs,
    need,
    ...(timeoutSeconds !== undefined && { withinMs: timeoutSeconds * 1000 }),
  });
  if (!settled.ok) return errorResult(settled.fault.message);
  const { over, runs: reports } = settled.value;
  const payload = {
    timedOut: over === 'timeout',
    ended: reports.filter(({ state }) => isOver(state)).map(runStanding),
    unfinished: reports.filter(({ state }) => !isOver(state)).map(runStanding),
    note: 'The results of runs that ended reach you as messages.',
  };
  return { status: over === 'done' ? 'ok' : 'error', text: jsonLine(payload) };
}

function* result(of: Overseer, call: ToolCall): Routine<ToolResult> {
  const found = yield* meant(of, call);
  if ('error' in found) return found.error;
  const settled = yield* perform<'runs'>({ kind: 'runs', runs: found.runs.slice(0, 1), results: true });
  const report = settled.ok ? settled.value[0] : undefined;
  if (report === undefined) return errorResult('Name the run: {"runId"} or {"label"}.');
  const { outcome, state, label, session } = report;
  if (outcome === undefined) return errorResult(`${label} has no result yet: it is ${state}.`);
  const whole = resultText(outcome);
  const shown = shortenText(whole, ROOMY, `Read it with read_result({"handle": "${session}"})`);
  return {
    status: state === 'answered' ? 'ok' : 'error',
    text: `outcome: ${state}\n\n${fenceData(shown, `result of ${label}, ${state}`)}`,
    ...(shown !== whole && { handle: session }),
  };
}

interface RunBranch extends Readonly<Record<string, unknown>> {
  readonly children: RunBranch[];
}

function* list(of: Overseer): Routine<ToolResult> {
  const reports = yield* reportsBelow(of);
  const branches = reports.map((report): RunBranch => ({ ...runStanding(report), children: [] }));
  const top: RunBranch[] = [];
  reports.forEach((report, index) => {
    const above = reports
      .map((other, at) => ({ other, at }))
      .filter(({ other }) => other !== report && isWithin(report.parent, other.session))
      .sort((left, right) => right.other.session.length - left.other.session.length)[0];
    (above === undefined ? top : (branches[above.at] as RunBranch).children).push(branches[index] as RunBranch);
  });
  return okResult(jsonLine({ runs: top }));
}

function* standings(of: Overseer): Routine<LastingFacts> {
  const reports = of.family.members().length === 0 ? [] : yield* reportsBelow(of);
  const lines = reports.map(({ run, label, agent, state }) => `${quoteText(label)} (\`${run}\`, ${agent}): ${state}`);
  return { heading: 'Spawned runs', lines };
}

function* cancel(of: Overseer, call: ToolCall): Routine<ToolResult> {
  if (Object.keys((call.arguments ?? {}) as object).filter((key) => key !== 'reason').length === 0)
    return errorResult('Name the runs to end: {"runIds"}, {"labels"} or {"groupId"}.');
  const found = yield* meant(of, call);
  if ('error' in found) return found.error;
  const { reason } = call.arguments as { readonly reason?: string };
  const why = reason === undefined ? `${of.agent} cancelled it.` : `${of.agent} cancelled it: ${reason}`;
  const settled = yield* perform<'cancel-runs'>({ kind: 'cancel-runs', runs: found.runs, reason: why });
  if (!settled.ok) return errorResult(settled.fault.message);
  return okResult(jsonLine({ runs: settled.value.map(runStanding) }));
}

function* send(of: Overseer, call: ToolCall): Routine<ToolResult> {
  const found = yield* meant(of, call);
  if ('error' in found) return found.error;
  const { message, runId, label } = call.arguments as { readonly message: string } & RunNames;
  const [run] = found.runs;
  if (run === undefined || (runId === undefined && label === undefined))
    return errorResult('Name the run: {"runId", "message"} or {"label", "message"}.');
  const settled = yield* perform<'send'>({ kind: 'send', run, text: fromParent(of.agent, message) });
  if (!settled.ok) return errorResult(settled.fault.message);
  if (settled.value.to === null) return errorResult(`Not sent: the run has ended (${settled.value.state}).`);
  return okResult(jsonLine({ runId: run, state: settled.value.state, sent: true }));
}
