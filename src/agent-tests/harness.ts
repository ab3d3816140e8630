// The bench for the cases of one cadre with one choice of models: an engine with a store in memory. The runs of cases
// that failed are copied to the store of the folder, so that they can be looked at.

import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CadreDefinition, workspaceOf } from '../definition/definition.ts';
import { reachableFrom } from '../definition/reach.ts';
import type { Engine } from '../engine/engine.ts';
import { openEngine } from '../engine/open.ts';
import { agentIn } from '../engine/request.ts';
import type { RunEvent, RunId } from '../journal/event.ts';
import type { RunStore, SignIns } from '../journal/store.ts';
import type { Verdict } from '../kernel/effect.ts';
import { signInIn } from '../kernel/sign-in.ts';
import { sourcesUsed } from '../patterns/record.ts';
import type { Approver } from '../run/approver.ts';
import { memoryStore } from '../stores/memory.ts';
import type { TestCase } from './test-case.ts';

export interface TestHarness {
  readonly cadre: CadreDefinition;
  readonly engine: Engine;
  readonly store: RunStore;
  /** Says which calls of a run are allowed where a person would be asked. */
  allow(run: RunId, approve: TestCase['approve']): void;
  events(run: RunId): Promise<readonly RunEvent[]>;
  close(): Promise<void>;
}

export async function openHarness(
  cadre: CadreDefinition,
  {
    workspace,
    signIns,
    warn,
  }: {
    readonly workspace?: string;
    /** Those of the folder's store. A test uses them, and waits for none. */
    readonly signIns?: SignIns | undefined;
    warn(text: string): void;
  },
): Promise<TestHarness> {
  const inMemory = memoryStore();
  const store = signIns === undefined ? inMemory : { ...inMemory, signIns };
  const allowed = new Map<RunId, TestCase['approve']>();
  const approve: Approver = async (_prompt, about, _signal, { run }) => {
    if (!allowed.has(run)) await new Promise((resolve) => setImmediate(resolve)); // its start is just coming back
    return verdictFor(allowed.get(run) ?? 'none', about);
  };
  const engine = await openEngine(cadre, { store, approve, warn, ...(workspace !== undefined && { workspace }) });
  return {
    cadre,
    engine,
    store,
    allow: (run, which) => void allowed.set(run, which),
    async events(run) {
      const events: RunEvent[] = [];
      for await (const event of store.read(run)) events.push(event);
      return events;
    },
    close: () => engine.close(),
  };
}

function verdictFor(approve: TestCase['approve'], about: unknown): Verdict {
  if (signInIn(about) !== undefined) return { approved: false, absent: true, note: 'A test waits for no sign-in.' };
  const name = typeof about === 'object' && about !== null && 'name' in about ? about.name : undefined;
  const isAllowed = approve === 'all' || (Array.isArray(approve) && approve.includes(name));
  return isAllowed
    ? { approved: true, note: 'Approved by the test.' }
    : { approved: false, absent: true, note: 'Not approved by the test: its `approve` does not name this tool.' };
}

/** Tools that change what is there: a case of an agent that can reach them works on a copy of the workspace. */
const CHANGES = /^(?:files:write|shell)\b/;

export function needsOwnWorkspace(cadre: CadreDefinition, asked: string): boolean {
  const reach = reachableFrom(cadre, agentIn(cadre, asked).name);
  const agents = [...reach].flatMap((name) => cadre.agents.get(name) ?? []);
  return agents.some((agent) => sourcesUsed(agent).some((tool) => CHANGES.test(tool)));
}

const LEFT_OUT = new Set(['node_modules', '.git', '.cadre']);

/** Gives the work a copy of the workspace, which is removed afterwards. Agents of the folder stay where they are. */
export async function inCopiedWorkspace<Value>(
  cadre: CadreDefinition,
  work: (folder: string) => Promise<Value>,
): Promise<Value> {
  const folder = await mkdtemp(join(tmpdir(), 'cadre-test-'));
  try {
    const from = workspaceOf(cadre);
    await cp(from, folder, {
      recursive: true,
      filter: (path) => !LEFT_OUT.has(path.slice(from.length + 1).split(/[\\/]/)[0] ?? ''),
    });
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const DIGEST = /\b[0-9a-f]{64}\b/g;

/** Copies an ended run with the blobs that it names. */
export async function keepRun(run: RunId, from: RunStore, to: RunStore): Promise<void> {
  const events: RunEvent[] = [];
  for await (const event of from.read(run)) events.push(event);
  for (const digest of new Set(JSON.stringify(events).match(DIGEST))) {
    const bytes = await from.blobs.get(digest);
    if (bytes !== undefined) await to.blobs.put(bytes);
  }
  const lease = await to.claim(run, 0);
  try {
    await lease.append(events);
  } finally {
    await lease.release();
  }
}
