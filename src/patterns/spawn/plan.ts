// Reads a call of sessions_spawn: which agent does what, after which runs, with which context. Every mistake in the
// call is found here, before anything is started.

import { jsonValue } from '../../base/text/json.ts';
import type { AgentName } from '../../kernel/effect.ts';
import { listViolations } from '../../kernel/schema.ts';
import type { SharedContext, SpawnId } from '../../kernel/spawned.ts';
import type { PatternContext } from '../pattern.ts';
import type { Family, FamilyMember, Gift, NamedMembers } from './family.ts';
import { readShared, type Snapshot } from './shared-context.ts';

export interface SpawnCall {
  readonly task: string | readonly string[];
  readonly parallel?: boolean;
  readonly label?: string;
  readonly agent?: AgentName;
  readonly chainAfter?: string | readonly string[];
  readonly dependsOn?: string | readonly string[];
  readonly includeDependencyResult?: boolean;
  readonly onDependencyFailure?: 'abort' | 'continue';
  readonly dependencyTimeoutSeconds?: number;
  readonly sharedContext?: unknown;
  readonly concurrent?: number | boolean;
  readonly runTimeoutSeconds?: number;
}

export interface Task {
  readonly label: string;
  readonly text: string;
  /** The parsed task, for an agent that takes JSON. */
  readonly data?: unknown;
}

export interface SpawnPlan {
  readonly agent: AgentName;
  readonly tasks: readonly Task[];
  /** Set for a list: the label it was given, and how many of it may work at the same time. */
  readonly list?: { readonly label: string; readonly together?: number };
  /** The runs that it starts after. */
  readonly after: readonly FamilyMember[];
  /** The runs whose results its context takes in, by key. It waits for them like for the others. */
  readonly references: ReadonlyMap<string, FamilyMember>;
  readonly include: boolean;
  readonly onFailure: 'abort' | 'continue';
  readonly dependencyMs: number;
  readonly runMs?: number;
  readonly own: SharedContext;
  readonly inherited?: Snapshot;
  /** The contexts that the same session gave to the runs that it spawned before. */
  readonly earlier: readonly Gift[];
}

/** The parts of the spawning session that a call can refer to. */
export interface Spawner {
  readonly context: PatternContext;
  readonly family: Family;
  readonly shared?: Snapshot;
  /** Its own run, if it was spawned itself. */
  readonly run?: SpawnId;
}

/** Labels stand in prompts and references, so they cannot hold anything that looks like an id or ends a line. */
const LABEL = /^[\p{L}\p{N}_][\p{L}\p{N}_ .-]{0,63}$/u;
const DEPENDENCY_SECONDS = 1800;

export function plan(call: SpawnCall, spawner: Spawner): SpawnPlan | { readonly error: string } {
  const { context, family } = spawner;
  const agent = call.agent ?? context.agent;
  const isList = typeof call.task !== 'string';
  if (isList && call.parallel !== true)
    return wrong('A list of tasks goes with "parallel": true. For a sequence, spawn each task with "chainAfter".');
  if (call.label !== undefined && !LABEL.test(call.label))
    return wrong(
      'A label is up to 64 letters, digits, spaces, "_", "." and "-", and begins with one of the first two.',
    );
  const label = call.label ?? (isList ? agent : family.freeLabel(agent));
  const tasks = tasksOf(call, agent, label, spawner);
  if ('error' in tasks) return tasks;
  const given =
    call.sharedContext === undefined
      ? { own: {}, references: [] }
      : readShared(call.sharedContext, spawner.shared?.values);
  if ('error' in given) return given;
  const labels = [label, ...tasks.tasks.map((task) => task.label)];
  const after = membersOf([...listOf(call.chainAfter), ...listOf(call.dependsOn)], labels, spawner);
  if ('error' in after) return after;
  const references = referred(given.references, labels, spawner);
  if ('error' in references) return references;
  const include = call.includeDependencyResult === true && after.members.length > 0;
  if (include && context.card(agent).input.format === 'json')
    return wrong(`${agent} takes JSON, so no result can be put before its task. Use sharedContext with a reference.`);
  const together = togetherOf(call.concurrent);
  return {
    agent,
    tasks: tasks.tasks,
    ...(isList && { list: { label, ...(together !== undefined && { together }) } }),
    after: after.members,
    references: references.byKey,
    include,
    onFailure: call.onDependencyFailure ?? 'abort',
    dependencyMs: (call.dependencyTimeoutSeconds ?? DEPENDENCY_SECONDS) * 1000,
    ...(call.runTimeoutSeconds !== undefined && { runMs: call.runTimeoutSeconds * 1000 }),
    own: given.own,
    ...(spawner.shared && { inherited: spawner.shared }),
    earlier: family.gifts(),
  };
}

const wrong = (error: string): { readonly error: string } => ({ error });

const listOf = (names: string | readonly string[] | undefined): readonly string[] =>
  names === undefined ? [] : typeof names === 'string' ? [names] : names;

const togetherOf = (concurrent: number | boolean | undefined): number | undefined =>
  concurrent === false ? 1 : typeof concurrent === 'number' ? concurrent : undefined;

function tasksOf(
  { task }: SpawnCall,
  agent: AgentName,
  label: string,
  { context }: Spawner,
): { readonly tasks: readonly Task[] } | { readonly error: string } {
  const texts = typeof task === 'string' ? [task] : task;
  const blank = texts.findIndex((text) => text.trim() === '');
  if (blank >= 0) return wrong(typeof task === 'string' ? 'The task is empty.' : `Task ${blank + 1} is empty.`);
  const { input } = context.card(agent);
  const tasks: Task[] = [];
  for (const [index, text] of texts.entries()) {
    const named = { label: typeof task === 'string' ? label : `${label}-${index + 1}`, text };
    if (input.format !== 'json') {
      tasks.push(named);
      continue;
    }
    const data = jsonValue(text);
    if (data === undefined) return wrong(`${agent} takes JSON, and the task ${named.label} is not JSON.`);
    const violations = context.check(input.schema ?? true, data);
    if (violations.length > 0) return wrong(`${agent} does not take this task:\n${listViolations(violations)}`);
    tasks.push({ ...named, data });
  }
  return { tasks };
}

/** The union, each run once. A run that would wait for itself, or for the session that waits for it, is refused. */
function membersOf(
  names: readonly string[],
  own: readonly string[],
  { family, run }: Spawner,
  find = (name: string): NamedMembers => family.find(name),
): { readonly members: readonly FamilyMember[] } | { readonly error: string } {
  const members = new Map<SpawnId, FamilyMember>();
  for (const name of names) {
    const found = find(name);
    if ('members' in found) for (const member of found.members) members.set(member.run, member);
    else if (own.includes(name)) return wrong(`${JSON.stringify(name)} is cyclic: a run cannot wait for itself.`);
    else if (name === run) return wrong(`${JSON.stringify(name)} is cyclic: it is the session that spawns.`);
    else return found;
  }
  return { members: [...members.values()] };
}

/** A reference becomes one key, so it names one run: by its label, or by a beginning that no other label has. */
function referred(
  labels: readonly string[],
  own: readonly string[],
  spawner: Spawner,
): { readonly byKey: ReadonlyMap<string, FamilyMember> } | { readonly error: string } {
  const byKey = new Map<string, FamilyMember>();
  for (const label of labels) {
    const found = membersOf([label], own, spawner, (name) => spawner.family.findBeginning(name));
    if ('error' in found) return found;
    const [member, ...more] = found.members;
    if (member === undefined || more.length > 0)
      return wrong(`$${label} is ambiguous: it names a list of runs. Refer to each of them.`);
    byKey.set(label, member);
  }
  return { byKey };
}
