// Undo: takes the changes of a run back, where nothing else has changed the files since. All files or none: if one of
// them cannot be restored, none is touched. The run's journal says that it was done, before and after.

import { realpath } from 'node:fs/promises';
import { isInside } from '../../base/disk/paths.ts';
import { countedNoun } from '../../base/text/words.ts';
import type { RunEvent, RunId } from '../../journal/event.ts';
import type { RunStore } from '../../journal/store.ts';
import { fail, faultOf } from '../../kernel/fault.ts';
import type { OpPath } from '../../kernel/path.ts';
import { inTurn } from '../../tools/files/write/in-turn.ts';
import {
  draftOf,
  look,
  type PresentFile,
  put,
  remove,
  removeDraft,
  removeFolders,
} from '../../tools/files/write/place.ts';
import type { WriteRules } from '../../tools/files/write/rules.ts';
import { type Target, targetAt } from '../../tools/files/write/target.ts';
import { openWritable } from '../../tools/files/write/tools.ts';
import { changesOf, type RecordedChange } from '../../views/changes.ts';
import { readAll, startOf } from '../pinned.ts';
import { planUndo, type UndoPlan, type UndoStep } from './undo-plan.ts';

export interface UndoOptions {
  /** Only what this op changed, or what was changed below it. Default: the whole run. */
  readonly op?: OpPath | undefined;
  /** Touches nothing, and says what would be done. */
  readonly dryRun?: boolean | undefined;
}

export interface UndoParts {
  readonly store: RunStore;
  /** The folder of the store, if it has one: its files are never changed. */
  readonly storeDir?: string | undefined;
  /** Folders whose files may be changed: what a store says is not trusted. The workspace of the run lies in one of them. */
  readonly within: readonly string[];
  now(): number;
}

export interface UndoneFile {
  readonly path: string;
  readonly done: 'restored' | 'brought-back' | 'removed' | 'moved-back';
  /** The path until then, if it was moved back. */
  readonly from?: string;
}

export interface UndoReport {
  readonly run: RunId;
  /** `nothing`: the run changed no files, or all its changes came to nothing. */
  readonly state: 'undone' | 'would-undo' | 'already-undone' | 'nothing';
  readonly files: readonly UndoneFile[];
}

/** Throws `undo/conflict` with the files that cannot be restored. Then nothing was touched. */
export async function undoRun(run: RunId, { op, dryRun = false }: UndoOptions, parts: UndoParts): Promise<UndoReport> {
  const { store } = parts;
  const events = await readAll(run, store);
  const { state } = await store.summary(run);
  if (state === 'running') fail('run/locked', `Run ${run} is still at work. Stop it first: cadre runs cancel ${run}`);
  const chosen = changesOf(events).filter((change) => change.takenOver === undefined && isMeant(change, op));
  const open = chosen.filter(({ undo }) => undo?.state !== 'done');
  if (chosen.length === 0) return op === undefined ? { run, state: 'nothing', files: [] } : noSuchOp(run, op);
  if (open.length === 0) return { run, state: 'already-undone', files: [] };
  const root = await usableRoot(open, parts);
  const { rules } = await openWritable(root, {
    own: [],
    stores: parts.storeDir === undefined ? [] : [parts.storeDir],
    allow: ['**'], // the run was allowed to change them
    isAgent: () => false,
  });
  const paths = [...new Set(open.flatMap(({ path, to }) => (to === undefined ? [path] : [path, to])))];
  const targets = new Map<string, Target>();
  for (const path of paths) targets.set(path, await targetAt(path, root, rules, 'refused'));
  return inTurn(
    [...targets.values()].map(({ real }) => real),
    async () => {
      if (!dryRun) await removeDrafts(run, open, targets);
      const found = new Map<string, PresentFile | undefined>();
      for (const [path, target] of targets) found.set(path, await look(rules.view, target));
      const plan = await planUndo(open, { now: found, blob: (digest) => store.blobs.get(digest) });
      refuseObstacles(run, plan);
      const files = filesOf(plan.steps, open, found);
      if (dryRun) return { run, state: 'would-undo', files };
      await recorded(events, plan, parts, () => apply(plan, targets, found, rules));
      return { run, state: 'undone', files };
    },
  );
}

/** Removes the draft that a call left beside its file when its process died. */
async function removeDrafts(
  run: RunId,
  changes: readonly RecordedChange[],
  targets: ReadonlyMap<string, Target>,
): Promise<void> {
  for (const { state, path, op } of changes) {
    if (state === 'in-doubt') await removeDraft(targets.get(path) as Target, draftOf(`${run}/${op}`));
  }
}

const isMeant = ({ op }: RecordedChange, asked: OpPath | undefined): boolean =>
  asked === undefined || op === asked || op.startsWith(`${asked}.`);

const noSuchOp = (run: RunId, op: OpPath): never =>
  fail('usage', `Op ${op} of run ${run} changed no files. See which ops did with: cadre show ${run} --changes`);

/** The workspace of the run. It is not taken from the store unless it lies where this caller may change files. */
async function usableRoot(changes: readonly RecordedChange[], { within }: UndoParts): Promise<string> {
  const roots = [...new Set(changes.map(({ root }) => root))];
  const [root = ''] = roots;
  if (roots.length > 1)
    fail('undo/conflict', `The run changed files in several workspaces: ${roots.join(', ')}. Undo it op by op.`);
  const real = await realpath(root).catch(() => undefined);
  if (real === undefined || real !== root)
    fail('undo/conflict', `The workspace of the run, ${root}, is not there any more.`);
  const allowed = await Promise.all(within.map((folder) => realpath(folder).catch(() => folder)));
  if (allowed.some((folder) => isInside(folder, root))) return root;
  return fail(
    'usage',
    `The run changed files in ${root}, which is outside ${allowed.join(' and ')}. If that is right, say so: --workspace ${root}`,
  );
}

function refuseObstacles(run: RunId, { obstacles }: UndoPlan): void {
  if (obstacles.length === 0) return;
  const lines = obstacles.map(({ path, why }) => `- ${path}: ${why}`).join('\n');
  fail(
    'undo/conflict',
    `Run ${run} is not undone, because ${countedNoun(obstacles.length, 'file')} cannot be restored. Nothing was changed.\n` +
      `${lines}\nSee what the run changed with: cadre show ${run} --changes`,
    { obstacles },
  );
}

/** A file that is moved back is one file, although two paths change. */
function filesOf(
  steps: readonly UndoStep[],
  changes: readonly RecordedChange[],
  found: ReadonlyMap<string, PresentFile | undefined>,
): readonly UndoneFile[] {
  const files = steps.map((step): UndoneFile => ({ path: step.path, done: doneBy(step, found) }));
  const doneTo = (path: string | undefined): string | undefined => files.find((file) => file.path === path)?.done;
  const moves = changes.filter(
    ({ path, to }) => doneTo(path) === 'brought-back' && doneTo(to) === 'removed', // at both ends of the move
  );
  return files.flatMap((file) => {
    if (moves.some(({ to }) => to === file.path)) return [];
    const from = moves.find(({ path }) => path === file.path)?.to;
    return [from === undefined ? file : { path: file.path, done: 'moved-back', from }];
  });
}

function doneBy({ path, bytes }: UndoStep, found: ReadonlyMap<string, PresentFile | undefined>): UndoneFile['done'] {
  if (bytes === undefined) return 'removed';
  return found.get(path) === undefined ? 'brought-back' : 'restored';
}

/** Says in the journal what is about to be done, and afterwards that it was. */
async function recorded(
  events: readonly RunEvent[],
  { ops }: UndoPlan,
  { store, now }: UndoParts,
  work: () => Promise<void>,
): Promise<void> {
  const lease = await store.claim(startOf(events).run, events.length);
  const note = async (state: 'begun' | 'done', seq: number): Promise<void> =>
    lease.append([{ type: 'undo', seq, at: now(), state, ops }]);
  try {
    await note('begun', events.length);
    await work();
    await note('done', events.length + 1);
  } finally {
    await lease.release();
  }
}

/** Files get their bytes before others are removed: a crash in between leaves every text somewhere. */
async function apply(
  { steps, folders }: UndoPlan,
  targets: ReadonlyMap<string, Target>,
  found: ReadonlyMap<string, PresentFile | undefined>,
  { view }: WriteRules,
): Promise<void> {
  let done = 0;
  try {
    for (const { path, bytes, mode } of steps) {
      if (bytes === undefined) continue;
      await put(
        view,
        targets.get(path) as Target,
        { bytes, ...(mode !== undefined && { exactMode: mode }), draft: '.cadre-undo' },
        found.get(path),
      );
      done++;
    }
    for (const { path, bytes } of steps) {
      const before = found.get(path);
      if (bytes !== undefined || before === undefined) continue;
      await remove(view, targets.get(path) as Target, before);
      done++;
    }
  } catch (thrown) {
    const { message } = faultOf(thrown);
    const so =
      done === 0
        ? 'Nothing was changed.'
        : `${countedNoun(done, 'file')} had been taken back by then; undo it again to take back the others.`;
    fail('undo/conflict', `${message} ${so}`);
  }
  await removeFolders(view.root, folders);
}
