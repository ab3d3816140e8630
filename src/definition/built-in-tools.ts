// The tool sources that Cadre itself brings, for the check and for --approve: their tools with the arguments, and whether a
// call of one asks a person by default. The sources themselves say the same (`Tool.asks`); a test compares the two.

import { hostProblem } from '../base/text/host.ts';
import { patternProblem } from '../base/text/shell-words.ts';

export const BUILT_IN_SOURCES: Readonly<
  Record<
    string,
    {
      /** The names of the arguments of each tool. */
      readonly tools: Readonly<Record<string, readonly string[]>>;
      /** Every call asks unless `trust` names it. */
      readonly asks: boolean;
      /** The reading of the brackets of a rule, if they hold no argument: an example, and the mistake in a text. */
      readonly brackets?: {
        readonly kind: 'command' | 'host';
        readonly example: string;
        problem(text: string): string | undefined;
      };
      /** The arguments that name a path of the workspace. */
      readonly paths?: readonly string[];
    }
  >
> = {
  files: {
    tools: {
      read_file: ['path', 'from', 'lines'],
      list_files: ['path', 'depth'],
      search_files: ['query', 'path', 'regex'],
    },
    asks: false,
    paths: ['path'],
  },
  'files:write': {
    tools: {
      write_file: ['path', 'content', 'overwrite'],
      edit_file: ['path', 'old_text', 'new_text'],
      delete_file: ['path'],
      move_file: ['path', 'to'],
    },
    asks: true,
    paths: ['path', 'to'],
  },
  shell: {
    tools: { run_command: ['command', 'timeout_seconds'] },
    asks: true,
    brackets: { kind: 'command', example: 'npm test', problem: patternProblem },
  },
  web: {
    tools: { fetch_page: ['url'] },
    asks: true,
    brackets: { kind: 'host', example: 'docs.example.com', problem: hostProblem },
  },
  person: { tools: { ask_person: ['question', 'options'] }, asks: false },
};

export const isBuiltIn = (source: string): boolean => Object.hasOwn(BUILT_IN_SOURCES, source);

export const builtInTools = (source: string): readonly string[] =>
  isBuiltIn(source) ? Object.keys(BUILT_IN_SOURCES[source]?.tools ?? {}) : [];

/** True if the tools of a source ask by default. */
export const sourceAsks = (source: string): boolean => isBuiltIn(source) && BUILT_IN_SOURCES[source]?.asks === true;
