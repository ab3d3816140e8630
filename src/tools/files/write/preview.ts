// The diff that a person sees before a file is changed. It looks at the file as the call itself would, and changes
// nothing. A call that cannot work is told to the model, and nobody is asked.

import type { DiffSide } from '../../../base/diff/unified.ts';
import type { Preview } from '../../../kernel/approval.ts';
import type { PreviewContext } from '../../tool.ts';
import { decode } from '../text.ts';
import {
  freeOrFail,
  type Remake,
  refuseText,
  stateKey,
  theFile,
  usableTarget,
  type WritableWorkspace,
} from './changing.ts';
import { look, newFileMode, type PresentFile, sha256Of } from './place.ts';

/** A write holds only for the file as it is now; an edit holds wherever its passage stands. */
export async function previewRemake(
  { kind, path, make }: Remake,
  workspace: WritableWorkspace,
  context: PreviewContext,
): Promise<Preview> {
  const target = await usableTarget(path, workspace, context, 'followed');
  const before = await look(workspace.rules.view, target);
  const { bytes } = make(before, target.path);
  refuseText(target.path, bytes, workspace);
  const shown = shownIn(target.path, workspace, context);
  const text = await diffText(before && { path: target.path, text: shown(before.bytes), mode: before.mode }, {
    path: target.path,
    text: shown(bytes),
    mode: before?.mode ?? newFileMode,
  });
  const always = alwaysAsked([target.path], text, workspace);
  const isOfFile = kind === 'write' || always !== undefined;
  return { kind: 'diff', paths: [target.path], text, ...always, ...(isOfFile && { basis: stateKey(before) }) };
}

export async function previewDelete(
  path: string,
  workspace: WritableWorkspace,
  context: PreviewContext,
): Promise<Preview> {
  const target = await usableTarget(path, workspace, context, 'refused');
  const before = theFile(await look(workspace.rules.view, target), target.path);
  const shown = shownIn(target.path, workspace, context);
  const text = await diffText({ path: target.path, text: shown(before.bytes), mode: before.mode }, undefined);
  const always = alwaysAsked([target.path], text, workspace);
  return { kind: 'diff', paths: [target.path], text, ...always, basis: stateKey(before) };
}

export async function previewMove(
  path: string,
  destination: string,
  workspace: WritableWorkspace,
  context: PreviewContext,
): Promise<Preview> {
  const from = await usableTarget(path, workspace, context, 'refused');
  const to = await usableTarget(destination, workspace, context, 'refused');
  const { view } = workspace.rules;
  const before = theFile(await look(view, from), from.path);
  freeOrFail(await look(view, to), before, to.path);
  refuseText(to.path, before.bytes, workspace);
  const side = { text: '', mode: before.mode }; // the text stays the same
  const text = await diffText({ ...side, path: from.path }, { ...side, path: to.path });
  const paths = [from.path, to.path];
  return { kind: 'diff', paths, text, ...alwaysAsked(paths, text, workspace), basis: stateKey(before) };
}

/** RULES-3. A yes to it is to nothing else. */
function alwaysAsked(
  paths: readonly string[],
  text: string,
  { rules }: WritableWorkspace,
): Pick<Preview, 'always' | 'rest'> | undefined {
  if (!paths.some((path) => rules.alwaysAsks(path))) return undefined;
  const key = sha256Of(Buffer.from(`${paths.join('\n')}\n${text}`));
  return { always: true, rest: { key, words: 'with exactly this change' } };
}

const mostLines = 1000;
const mostCharacters = 64 * 1024;

/** Both texts were redacted before they are cut. */
async function diffText(before: DiffSide | undefined, after: DiffSide | undefined): Promise<string> {
  const { unifiedDiff } = await import('../../../base/diff/unified.ts');
  const lines = unifiedDiff(before, after);
  let size = 0;
  const shown = lines.findIndex((line, index) => index >= mostLines || (size += line.length + 1) > mostCharacters);
  if (shown < 0) return lines.join('\n');
  return [...lines.slice(0, shown), `… ${lines.length - shown} more lines of the diff are not shown here.`].join('\n');
}

/** Undefined for what is not text, and for a file whose name says that it may hold secrets. */
function shownIn(
  path: string,
  { rules }: WritableWorkspace,
  { redactor }: PreviewContext,
): (bytes: PresentFile['bytes']) => string | undefined {
  if (rules.mayHoldSecrets(path)) return () => undefined;
  return (bytes) => {
    const decoded = decode(bytes);
    return 'text' in decoded ? redactor.redact(decoded.text) : undefined;
  };
}
