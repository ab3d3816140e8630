// Resolves what a run that is spawned from outside refers to: the runs it starts after, and what it shares.

import type { RunId } from '../../journal/event.ts';
import type { RunStore } from '../../journal/store.ts';
import { FaultError, fail } from '../../kernel/fault.ts';
import { type NamedRun, runOf, type SharedContext, type StartAfter } from '../../kernel/spawned.ts';
import { readShared } from '../../patterns/spawn/shared-context.ts';
import { readOn } from '../../run/outside-runs.ts';

export interface SpawnOptions {
  /** A name for the run: up to 64 letters, digits, spaces, "_", "." and "-". */
  readonly label?: string;
  /** Runs of the same store that it waits for: ids, beginnings of ids, or labels. */
  readonly after?: readonly string[];
  /** Puts what those runs answered before the input. */
  readonly includeResult?: boolean;
  /** The consequence if one of them fails. Default: abort. */
  readonly onFailure?: 'abort' | 'continue';
  /** The time that it waits for them. Default: 30 minutes. */
  readonly afterTimeoutMs?: number;
  /** An object that it shares with the runs that it spawns. `$label` in it refers to the context of another run. */
  readonly context?: unknown;
}

const USUAL_WAIT_MS = 1_800_000;

/** Throws if a name is unknown or ambiguous, and then nothing starts. */
export async function startAfter(
  {
    after: names = [],
    includeResult: include = false,
    onFailure = 'abort',
    afterTimeoutMs: withinMs = USUAL_WAIT_MS,
    context,
  }: SpawnOptions,
  store: RunStore,
): Promise<{ readonly after?: StartAfter; readonly shared?: SharedContext }> {
  const given = context === undefined ? { own: {}, references: [] } : readShared(context);
  if ('error' in given) return fail('input/invalid', given.error);
  const shared = Object.keys(given.own).length > 0 ? { shared: given.own } : {};
  const references: Record<string, NamedRun> = {};
  for (const label of given.references)
    references[label] = await findRun((await wholeLabel(label, store)) ?? label, store);
  const runs = new Map<string, NamedRun>();
  for (const name of names) {
    const found = await findRun(name, store);
    runs.set(found.run, found);
  }
  if (runs.size === 0 && given.references.length === 0) return shared;
  return { ...shared, after: { runs: [...runs.values()], references, include, onFailure, withinMs } };
}

/** The number of the newest runs that are searched for a label. */
const SEARCHED = 1000;

export async function findRun(name: string, store: RunStore): Promise<NamedRun> {
  if (name.includes('~')) {
    const reading = readOn(runOf(name), store);
    await reading.go();
    const report = reading.report(name) ?? fail('run/unknown', `Run ${runOf(name)} has spawned no ${name}.`);
    return { run: name, label: report.label };
  }
  const whole = await namedOutright(name, store);
  if (whole !== undefined) return { run: whole, label: (await store.summary(whole)).label ?? whole };
  const labelled = await runsLabelled(name, store);
  if (labelled !== undefined) return { run: labelled, label: name };
  const run = await store.find(name);
  return { run, label: (await store.summary(run)).label ?? run };
}

/** The newest run, or one by its whole id: for these, labels are not looked through. */
async function namedOutright(name: string, store: RunStore): Promise<RunId | undefined> {
  if (name !== 'last' && !WHOLE_ID.test(name)) return undefined;
  try {
    const run = await store.find(name);
    return name === 'last' || name === run ? run : undefined;
  } catch (thrown) {
    if (thrown instanceof FaultError && thrown.fault.code === 'run/unknown') return undefined;
    throw thrown;
  }
}

/** Ids have this form. */
export const WHOLE_ID = /^\d{8}-\d{6}-[0-9a-f]{7}$/;

/** The one label that equals this or begins with it; undefined if no run has such a label. */
async function wholeLabel(beginning: string, store: RunStore): Promise<string | undefined> {
  const labels = new Set<string>();
  for (const { label } of await store.list({ limit: SEARCHED })) {
    if (label === beginning) return label;
    if (label?.startsWith(beginning) === true) labels.add(label);
  }
  const [only, ...more] = labels;
  if (more.length === 0) return only;
  return fail(
    'usage',
    `$${beginning} is ambiguous: ${labels.size} labels begin with it: ${[...labels].toSorted().join(', ')}. Write the whole label.`,
  );
}

/** If several runs have one label, it means the only unfinished one; otherwise it is ambiguous. */
async function runsLabelled(label: string, store: RunStore): Promise<RunId | undefined> {
  const found = await store.list({ label, limit: SEARCHED });
  const open = found.filter(({ state }) => state !== 'ended');
  const meant = open.length > 0 ? open : found;
  if (meant.length <= 1) return meant[0]?.run;
  const ids = meant.map(({ run }) => run).join(', ');
  return fail(
    'usage',
    `${JSON.stringify(label)} is ambiguous: ${meant.length} runs have this label: ${ids}. Name one by its id.`,
  );
}
