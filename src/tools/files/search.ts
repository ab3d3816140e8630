// search_files: the lines of the workspace that hold a text or match a regular expression. Bounded in what it reads
// and in what it shows, and it says where a bound was reached.

import { countedNoun, size } from '../../base/text/words.ts';
import { FaultError, fail } from '../../kernel/fault.ts';
import { asRecorded, type Redactor } from '../../kernel/redacted.ts';
import { redactedExcerpt } from '../cut.ts';
import { objectInput } from '../object-input.ts';
import type { Tool } from '../tool.ts';
import { type LineMatch, literalMatcher, type Matcher, pattern } from './matcher.ts';
import { comparedPaths } from './named-paths.ts';
import { decode } from './text.ts';
import type { LocatedFile, Workspace } from './workspace.ts';

const maxShown = 100;
const maxExcerpt = 200;
const maxFileBytes = 2 * 1024 * 1024;
const maxTotalBytes = 256 * 1024 * 1024;

export const searchFiles = (open: () => Promise<Workspace>): Tool => ({
  spec: {
    name: 'search_files',
    description:
      'Searches the text files of the workspace line by line and answers with path:line: text. Plain text by default; ' +
      'a query without capitals matches any case. Dot-folders and node_modules are left out.',
    parameters: objectInput(
      {
        query: { type: 'string', minLength: 1, description: 'The text to look for, or a regular expression.' },
        path: { type: 'string', description: 'A file or folder to search in. Default: the whole workspace.' },
        regex: { type: 'boolean', description: 'The query is a JavaScript regular expression, matched within a line.' },
      },
      ['query'],
    ),
  },
  repeat: 'safe',
  compared: async (input) => comparedPaths(input, await open()),
  async execute(input, { signal, redactor, admits }) {
    const {
      query,
      path = '.',
      regex = false,
    } = input as { readonly query: string; readonly path?: string; readonly regex?: boolean };
    const matcher = regex ? pattern(query) : literalMatcher(query);
    const workspace = await open();
    const search = new Search(workspace, matcher, redactor);
    const start = await workspace.locate(path);
    admits?.({ path: [start.path] });
    for await (const file of filesAt(workspace, start)) {
      signal.throwIfAborted();
      if (!(await search.look(file))) break;
    }
    return search.report(query);
  },
});

async function* filesAt(workspace: Workspace, start: LocatedFile): AsyncGenerator<LocatedFile> {
  if (start.kind === 'other') fail('tool/failed', `"${start.path}" is neither a file nor a folder.`);
  if (start.kind === 'file') {
    yield start;
    return;
  }
  for await (const entry of workspace.walk(start)) {
    if (entry.kind === 'file') yield { real: entry.real, path: entry.path, kind: 'file' };
  }
}

/** The state of one search: the bytes that it has read, and its matches so far. */
class Search {
  private readonly shown: string[] = [];
  private matches = 0;
  private filesMatched = 0;
  private filesRead = 0;
  private bytesRead = 0;
  private tooLarge = 0;
  private notText = 0;
  private unreadable = 0;
  private complete = true;
  private readonly workspace: Workspace;
  private readonly matcher: Matcher;
  private readonly redactor: Redactor;

  constructor(workspace: Workspace, matcher: Matcher, redactor: Redactor) {
    this.workspace = workspace;
    this.matcher = matcher;
    this.redactor = redactor;
  }

  /** False once the search has read so much that it ends here. */
  async look(file: LocatedFile): Promise<boolean> {
    if (this.bytesRead > maxTotalBytes) {
      this.complete = false;
      return false;
    }
    const bytes = await this.workspace.read(file, maxFileBytes).catch(unreadable);
    if (bytes === 'unreadable') this.unreadable++;
    else if (bytes === undefined) this.tooLarge++;
    else this.match(file.path, bytes);
    return true;
  }

  private match(path: string, bytes: Uint8Array): void {
    this.bytesRead += bytes.byteLength;
    const decoded = decode(bytes);
    if ('binary' in decoded) {
      this.notText++;
      return;
    }
    this.filesRead++;
    if (this.matcher(decoded.text, path).length === 0) return;
    // Searched again without secrets: lines are cut, and a query must not reveal what a secret begins with.
    const found = this.matcher(this.redactor.redact(decoded.text), path);
    if (found.length === 0) return;
    this.filesMatched++;
    this.matches += found.length;
    const room = maxShown - this.shown.length;
    for (const one of found.slice(0, room)) this.shown.push(`${path}:${one.line}: ${shorten(one)}`);
  }

  report(query: string): string {
    const head =
      this.matches === 0
        ? `No line matches ${JSON.stringify(query)} in ${countedNoun(this.filesRead, 'file')}.`
        : `${countedNoun(this.matches, 'line')} in ${this.filesMatched} of ${countedNoun(this.filesRead, 'file')}.`;
    const notes = [
      this.matches > this.shown.length ? `The first ${this.shown.length} are shown; search in a folder or file.` : '',
      this.complete ? '' : `The search ended after ${size(this.bytesRead)}; search in a folder.`,
      this.tooLarge > 0 ? `Files over ${size(maxFileBytes)}, not searched: ${this.tooLarge}.` : '',
      this.notText > 0 ? `Files that are not text, not searched: ${this.notText}.` : '',
      this.unreadable > 0 ? `Not readable: ${this.unreadable}.` : '',
    ].filter((note) => note !== '');
    return [[head, ...notes].join(' '), ...this.shown].join('\n');
  }
}

/** A file that may not be read, or has gone since its folder was read, does not end the search. */
function unreadable(thrown: unknown): 'unreadable' {
  if (thrown instanceof FaultError) return 'unreadable';
  throw thrown;
}

function shorten({ text, at }: LineMatch): string {
  if (text.length <= maxExcerpt) return text.trim();
  const start = Math.max(0, Math.min(at - maxExcerpt / 4, text.length - maxExcerpt));
  const end = start + maxExcerpt;
  return `${start > 0 ? '…' : ''}${redactedExcerpt(asRecorded(text), start, end).trim()}${end < text.length ? '…' : ''}`;
}
