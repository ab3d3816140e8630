// The tool sources that Cadre itself brings, for the check and for --approve: the names of their tools, and whether a
// call of one asks a person by default. The sources themselves say the same (`Tool.asks`); a test compares the two.

import { hostProblem } from '../base/text/host.ts';
import { patternProblem } from '../base/text/shell-words.ts';

interface BuiltInSource {
  readonly tools: readonly string[];
  /** Every call asks unless `trust` names it. */
  readonly asks: boolean;
  /** The text that an entry of `trust` may have in brackets, if any: an example, and the mistake in a text. */
  readonly brackets?: { readonly example: string; problem(text: string): string | undefined };
}

export const BUILT_IN_SOURCES: Readonly<Record<string, BuiltInSource>> = {
  files: { tools: ['read_file', 'list_files', 'search_files'], asks: false },
  'files:write': { tools: ['write_file', 'edit_file', 'delete_file', 'move_file'], asks: true },
  shell: {
    tools: ['run_command'],
    asks: true,
    brackets: { example: 'npm test', problem: patternProblem },
  },
  web: { tools: ['fetch_page'], asks: true, brackets: { example: 'docs.example.com', problem: hostProblem } },
  person: { tools: ['ask_person'], asks: false },
};

export const isBuiltIn = (source: string): boolean => Object.hasOwn(BUILT_IN_SOURCES, source);

export const builtInTools = (source: string): readonly string[] =>
  isBuiltIn(source) ? (BUILT_IN_SOURCES[source]?.tools ?? []) : [];

/** True if the tools of a source ask by default. */
export const sourceAsks = (source: string): boolean => isBuiltIn(source) && BUILT_IN_SOURCES[source]?.asks === true;
