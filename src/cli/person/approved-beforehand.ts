// The tools to which --approve says yes. A word that does not name a tool that waits for a yes is refused: it is a
// mistake in the name, or a word that was meant for something else.

import { nearest } from '../../base/text/nearest.ts';
import { builtInTools, isBuiltIn, sourceAsks } from '../../definition/built-in-tools.ts';
import type { AgentDefinition, CadreDefinition } from '../../definition/definition.ts';
import type { RunStore } from '../../journal/store.ts';
import { fail } from '../../kernel/fault.ts';
import { sourcesUsed } from '../../patterns/record.ts';
import { parseCallRules } from '../../rules/call-rule.ts';
import { runIfNamed } from '../lookup/find-run.ts';
import { type Beforehand, isSourced, lastPart } from './approvals.ts';

/** `given` is what stood on the command line; `true` is yes to all. */
export function approvedBeforehand(
  given: readonly (string | true)[] | undefined,
  cadre: Pick<CadreDefinition, 'agents' | 'folder'>,
): Beforehand {
  const named = (given ?? []).filter((one) => one !== true);
  if (named.length > 0) refuseOthers(named, cadre);
  return given?.includes(true) === true ? true : named;
}

/** Refuses a word that names a run, in a command about a run: it was meant as that. */
export async function refuseRunNames(given: readonly (string | true)[] | undefined, store: RunStore): Promise<void> {
  for (const name of given ?? []) {
    if (name === true || (await runIfNamed(name, store)) === undefined) continue;
    fail(
      'usage',
      `--approve took "${name}" for the name of a tool, but it names a run. Put the run first, and --approve last.`,
    );
  }
}

function refuseOthers(named: readonly string[], { agents, folder }: Pick<CadreDefinition, 'agents' | 'folder'>): void {
  const entries = [...agents.values()].flatMap(askingEntries);
  const waiting = new Set(entries.flatMap(toolsOf));
  // Only the running MCP server knows the names of its tools.
  const isKnown = (name: string): boolean => {
    if (isSourced(name)) return entries.some((entry) => meet(entry, name));
    return waiting.has(name) || (hasServer(entries) && isOneWord(name));
  };
  for (const name of named) {
    if (isKnown(name)) continue;
    const near = nearest(name, [...waiting]);
    const known = waiting.size === 0 ? '' : ` These tools wait for a yes: ${[...waiting].join(', ')}.`;
    fail(
      'usage',
      `--approve took "${name}" for the name of a tool, but no agent in ${folder} waits for a yes to a tool of that name.${known}` +
        (near === undefined ? '' : ` Did you mean "${near}"?`) +
        ' --approve alone says yes to all: put it last, or before another option.',
    );
  }
}

/**
 * The entries that ask a person: those that the file names under `approve`, and those that ask by default. Part of the
 * latter may be trusted.
 */
const askingEntries = (agent: AgentDefinition): readonly string[] => [
  ...parseCallRules(agent.approve).map(({ name }) => name),
  ...sourcesUsed(agent).filter((tool) => sourceAsks(tool.split('/', 1)[0] ?? tool)),
];

/** The tools that such an entry names, as far as the file says. */
function toolsOf(entry: string): readonly string[] {
  if (isBuiltIn(entry)) return builtInTools(entry);
  return /^mcp:[^/]*$/.test(entry) ? [] : [lastPart(entry)];
}

/** True if an entry of `approve` can mean a tool that is named with its source, or a tool of a whole source. */
function meet(entry: string, name: string): boolean {
  if (!isSourced(entry))
    return !name.startsWith('mcp:') && (builtInTools(name).includes(entry) || lastPart(name) === entry);
  return entry === name || name.startsWith(`${entry}/`) || entry.startsWith(`${name}/`);
}

const hasServer = (entries: readonly string[]): boolean => entries.some((entry) => entry.startsWith('mcp:'));

const isOneWord = (name: string): boolean => /^[^\s]+$/.test(name) && !name.endsWith('.md');
