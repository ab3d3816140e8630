// The steps by which every tool of `files:write` makes its change: look, decide, record, change.
// CHANGE-1. The intent, with the digests before and after, is recorded before the file is touched.
// CHANGE-2. A call in doubt looks at the file again. It is as intended: the call was made. It is as before: it is made
//     now. It is neither: someone else changed it, and the model is told. So a change happens once.
// CHANGE-3. Looking and changing are one step for all calls of this process (in-turn.ts).

import { type ChangeVerdict, type FileChange, type FileState, judgeChange } from '../../../kernel/change.ts';
import { fail } from '../../../kernel/fault.ts';
import type { ChangeRecorder, ToolContext } from '../../tool.ts';
import { decode } from '../text.ts';
import { inTurn } from './in-turn.ts';
import { type KeptTexts, keptTexts } from './kept.ts';
import { draftOf, look, move, newFileMode, type PresentFile, put, remove, removeDraft, sha256Of } from './place.ts';
import { foldersAbove, type WriteRules } from './rules.ts';
import { type LastLink, type Target, targetAt } from './target.ts';

/** A workspace whose files may be changed. */
export interface WritableWorkspace {
  /** The folder as it was configured. */
  readonly given: string;
  readonly rules: WriteRules;
}

/** A change that gives one file other bytes. */
export interface Remake {
  readonly kind: 'write' | 'edit';
  readonly path: string;
  /** Makes the new bytes, and the words for the model. Throws a message for the model. */
  make(before: PresentFile | undefined, path: string): { readonly bytes: Uint8Array; readonly told: string };
}

/** Writes or edits one file. */
export async function remake(
  { kind, path, make }: Remake,
  workspace: WritableWorkspace,
  context: ToolContext,
): Promise<string> {
  const changes = recorderOf(context);
  const locate = async () => [await usableTarget(path, workspace, context, 'followed')] as const;
  return inTurnAt(locate, async ([target]) => {
    const { view } = workspace.rules;
    context.admits?.({ path: [target.path] });
    refuseUnasked(context, target, workspace);
    if (changes.intended !== undefined) await removeDraft(target, draftOf(context.callKey));
    const before = await look(view, target);
    const verdict = verdictOn(changes.intended, target.path, before?.digest);
    if (verdict === 'made') return `${DONE[kind]} ${target.path}. ${ALREADY}`;
    if (verdict === undefined) refuseOtherBasis(context, before, target.path);
    const { bytes, told } = make(before, target.path);
    refuseText(target.path, bytes, workspace);
    const digest = sha256Of(bytes);
    if (digest === before?.digest) return `${target.path} has this text already. Nothing was changed.`;
    const after: FileState = { digest, bytes: bytes.byteLength, mode: before?.mode ?? newFileMode };
    const sides = { before: before && { bytes: before.bytes, state: stateOf(before) }, after: { bytes, state: after } };
    await intend(verdict, { kind, path: target.path, ...madeFolders(target), ...sides }, workspace, context);
    await put(view, target, { bytes, draft: draftOf(context.callKey) }, before);
    return told;
  });
}

export async function deleteFile(path: string, workspace: WritableWorkspace, context: ToolContext): Promise<string> {
  const changes = recorderOf(context);
  const locate = async () => [await usableTarget(path, workspace, context, 'refused')] as const;
  return inTurnAt(locate, async ([target]) => {
    const { view } = workspace.rules;
    context.admits?.({ path: [target.path] });
    refuseUnasked(context, target, workspace);
    const present = await look(view, target);
    const verdict = verdictOn(changes.intended, target.path, present?.digest);
    if (verdict === 'made') return `Deleted ${target.path}. ${ALREADY}`;
    const file = theFile(present, target.path);
    if (verdict === undefined) refuseOtherBasis(context, file, target.path);
    const before = { bytes: file.bytes, state: stateOf(file) };
    await intend(verdict, { kind: 'delete', path: target.path, before }, workspace, context);
    await remove(view, target, file);
    return `Deleted ${target.path}.`;
  });
}

export async function moveFile(
  path: string,
  destination: string,
  workspace: WritableWorkspace,
  context: ToolContext,
): Promise<string> {
  const changes = recorderOf(context);
  const end = (one: string): Promise<Target> => usableTarget(one, workspace, context, 'refused');
  const locate = async () => [await end(path), await end(destination)] as const;
  return inTurnAt(locate, async ([from, to]) => {
    if (from.real === to.real) return fail('tool/failed', `"${path}" and "${destination}" are the same path.`);
    const { view } = workspace.rules;
    context.admits?.({ path: [from.path, to.path], to: [to.path] });
    for (const end of [from, to]) refuseUnasked(context, end, workspace);
    const [before, there] = [await look(view, from), await look(view, to)];
    const isThere = there !== undefined && there.identity === before?.identity;
    const found = isThere ? undefined : there?.digest;
    const verdict = verdictOn(changes.intended, from.path, before?.digest, found);
    if (verdict === 'made') return `Moved ${from.path} to ${to.path}. ${ALREADY}`;
    const file = theFile(before, from.path);
    freeOrFail(there, file, to.path);
    if (verdict === undefined) refuseOtherBasis(context, file, from.path);
    refuseText(to.path, file.bytes, workspace);
    const state = stateOf(file);
    const change = {
      kind: 'move',
      path: from.path,
      to: to.path,
      ...madeFolders(to),
      before: state,
      after: state,
    } as const;
    if (verdict === undefined) await changes.intend({ root: view.root, ...change });
    await move(view, { from, to, file, isThere });
    return `Moved ${from.path} to ${to.path}.`;
  });
}

/** CHANGE-3. Which folders there are is known only when earlier changes are over, so the targets are located again then. */
async function inTurnAt<Targets extends readonly Target[]>(
  locate: () => Promise<Targets>,
  work: (targets: Targets) => Promise<string>,
): Promise<string> {
  const first = await locate();
  return inTurn(
    first.map(({ real }) => real),
    async () => {
      const now = await locate();
      const moved = now.find(({ real }, index) => real !== first[index]?.real);
      if (moved !== undefined) fail('tool/failed', `"${moved.path}" leads elsewhere since a moment ago. Try again.`);
      return work(now);
    },
  );
}

const DONE = { write: 'Wrote', edit: 'Edited' } as const;
const ALREADY = 'This had been done when the process died, so it was not done again.';

function recorderOf({ changes }: ToolContext): ChangeRecorder {
  return changes ?? fail('tool/failed', 'Files can be changed only where the change can be recorded.');
}

/** A path with a secret in it could not be recorded, so it could not be undone either. */
export async function usableTarget(
  path: string,
  { given, rules }: WritableWorkspace,
  { redactor }: Pick<ToolContext, 'redactor'>,
  link: LastLink,
): Promise<Target> {
  if (redactor.redact(path) !== path) fail('tool/failed', 'That path holds a secret. Use another one.');
  return targetAt(path, given, rules, link);
}

/** CHANGE-2. Undefined: the call is not in doubt. */
function verdictOn(
  intended: FileChange | undefined,
  path: string,
  found: string | undefined,
  foundTo?: string,
): Exclude<ChangeVerdict, 'unknown'> | undefined {
  if (intended === undefined) return undefined;
  const verdict = intended.path === path ? judgeChange(intended, found, foundTo) : 'unknown';
  if (verdict !== 'unknown') return verdict;
  return fail(
    'tool/failed',
    `The process died while "${intended.path}" was changed, and someone else has changed it since: it is neither as it ` +
      'was before this call nor as this call would have made it. Whether the call took effect is unknown. It was not ' +
      'made again. Read the file before you go on.',
  );
}

/** CHANGE-1. A call in doubt has recorded its intent already, and has to come to the same. */
async function intend(
  verdict: 'not-made' | undefined,
  {
    before,
    after,
    ...change
  }: Pick<FileChange, 'kind' | 'path' | 'folders'> & {
    readonly before?: { readonly bytes: Uint8Array; readonly state: FileState } | undefined;
    readonly after?: { readonly bytes: Uint8Array; readonly state: FileState };
  },
  { rules }: WritableWorkspace,
  context: ToolContext,
): Promise<void> {
  const changes = recorderOf(context);
  context.signal.throwIfAborted();
  if (verdict === 'not-made') {
    if (changes.intended?.after?.digest === after?.state.digest) return;
    fail('tool/failed', `This call would change "${change.path}" in another way than it recorded. It was not made.`);
  }
  const keeping = { redactor: context.redactor, keep: (bytes: Uint8Array) => changes.keep(bytes) };
  const texts: KeptTexts = rules.mayHoldSecrets(change.path)
    ? { ...(before && { before: before.state }), ...(after && { after: after.state }) } // KEPT-2
    : await keptTexts(before, after, keeping);
  await changes.intend({ root: rules.view.root, ...change, ...texts });
  context.signal.throwIfAborted();
}

export function refuseText(path: string, bytes: Uint8Array, { rules }: WritableWorkspace): void {
  const decoded = decode(bytes);
  const refusal = 'text' in decoded ? rules.textRefusal(path, decoded.text) : undefined;
  if (refusal !== undefined) fail('tool/failed', refusal);
}

const stateOf = ({ digest, bytes, mode }: PresentFile): FileState => ({ digest, bytes: bytes.byteLength, mode });

function madeFolders({ path, missing }: Target): Pick<FileChange, 'folders'> {
  return missing.length === 0 ? {} : { folders: foldersAbove(path).slice(-missing.length) };
}

export function theFile(found: PresentFile | undefined, path: string): PresentFile {
  if (found !== undefined) return found;
  return fail('tool/failed', `There is no "${path}" in the workspace. See what there is with list_files.`);
}

/** A file may move to a name that it has already, in other capitals. */
export function freeOrFail(there: PresentFile | undefined, file: PresentFile, path: string): void {
  if (there !== undefined && there.identity !== file.identity)
    fail('tool/failed', `"${path}" exists already. Choose another name.`);
}

/** The state of a file that a person saw when they approved a call. */
export const stateKey = (found: PresentFile | undefined): string => found?.digest ?? 'absent';

/** RULES-3. What the call was about may lead elsewhere by now, so it is looked at again in its turn. */
function refuseUnasked({ basis }: ToolContext, { path }: Target, { rules }: WritableWorkspace): void {
  if (basis === undefined && rules.alwaysAsks(path))
    fail('tool/failed', `A person has to see a change of "${path}" first, because it runs by itself. Call again.`);
}

function refuseOtherBasis({ basis }: ToolContext, found: PresentFile | undefined, path: string): void {
  if (basis === undefined || basis === stateKey(found)) return;
  fail(
    'tool/failed',
    `"${path}" has changed since a person approved this call. Call again, so that they see it as it is.`,
  );
}
