// The files that a tool shows: they are kept in the store of the run, and shown to an agent whose models see them. Of any
// other the line in the text is left.

import type { AgentDefinition } from '../definition/definition.ts';
import { type FileRef, fileWords, kindOfFile, MOST_FILES, type Sight, shownTokens } from '../kernel/file-ref.ts';
import type { ToolResult } from '../kernel/message.ts';
import { NOTHING_SECRET } from '../kernel/redacted.ts';
import { isHelper } from '../kernel/subagent.ts';
import { lookAtFile } from '../tools/media/look-at-file.ts';
import type { ToolFile } from '../tools/tool.ts';
import type { Op } from '../world/world.ts';
import type { LiveRun } from './driven-run.ts';

/** The result with the files that the tool gave, and a line for each in its text. */
export async function withShownFiles<Result extends ToolResult>(
  result: Result,
  given: readonly ToolFile[],
  { agent, op, run }: { readonly agent: AgentDefinition; readonly op: Op; readonly run: LiveRun },
): Promise<Result> {
  const redactor = run.cadre.secrets ?? NOTHING_SECRET;
  const sight = run.cadre.resources.sight(agent);
  const files: FileRef[] = [];
  const lines: string[] = [];
  for (const one of given) {
    const looked = await kept(one, files.length, run);
    lines.push(redactor.redact('why' in looked ? `[not shown: ${looked.why}]` : `[file: ${fileWords(looked.file)}]`));
    if ('file' in looked && isSeen(looked.file, sight)) files.push(looked.file);
  }
  const text = [result.text, ...lines].join('\n');
  if (files.length === 0) return { ...result, text };
  const handle = isHelper(op.scope.agent) ? {} : { handle: op.path }; // a helper has no read_result
  return { ...result, text, shown: { files, ...handle, tokens: shownTokens(files, sight) } };
}

const isSeen = (file: FileRef, sight: Sight | undefined): boolean => sight?.sees.includes(kindOfFile(file)) === true;

async function kept(
  given: ToolFile,
  before: number,
  { environment: { store } }: LiveRun,
): Promise<{ readonly file: FileRef } | { readonly why: string }> {
  if ('digest' in given) return { file: given };
  if (before >= MOST_FILES) return { why: `${fileNameOf(given)} is beyond the ${MOST_FILES} files of a result` };
  const looked = await lookAtFile(given.name, given.data);
  if (looked.kind !== 'media') {
    const why = looked.kind === 'text' ? 'is neither a picture nor a PDF' : looked.why;
    return { why: `${fileNameOf(given)} ${why}` };
  }
  await store.blobs.put(given.data);
  return { file: looked.file };
}

const fileNameOf = ({ name }: { readonly name: string }): string => JSON.stringify(name.slice(0, 200));
