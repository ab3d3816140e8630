// The tool sources of a cadre, opened to look at them and not to run anything. Whoever opens them closes them.

import {
  type AgentDefinition,
  type CadreDefinition,
  type TemplatedText,
  workspaceOf,
} from '../../definition/definition.ts';
import { readEnvironment, resolveTemplate } from '../../definition/read/variables.ts';
import { filesView } from '../../run/resources/files-view.ts';
import { ownFunctions } from '../../run/resources/own-functions.ts';
import { sourceMakers } from '../../run/resources/tool-sources.ts';
import { secretsOf } from '../../secrets/configured.ts';
import type { SignInVault } from '../../tools/mcp/sign-in/record.ts';
import { openToolbox, type Toolbox } from '../../tools/toolbox.ts';

/** Nothing is started before a tool of it is asked for. */
export function openSources(cadre: CadreDefinition, signIns?: SignInVault): Toolbox {
  const fill = (value: TemplatedText): string => resolveTemplate(value, readEnvironment(cadre.folder));
  const files = filesView(cadre, workspaceOf(cadre), cadre.config.store.dir);
  return openToolbox(
    sourceMakers(cadre, files, { fill, secrets: secretsOf(cadre), vault: signIns }),
    [],
    ownFunctions(cadre),
  );
}

/** The source that an entry of `tools` names: `mcp:docs` of `mcp:docs/search`. A function is its own. */
export const sourceOf = (entry: string): string => entry.split('/', 1)[0] ?? entry;

/** The MCP servers that agents name, each once. */
export const serversOf = (agents: Iterable<AgentDefinition>): readonly string[] => [
  ...new Set(
    [...agents].flatMap(({ tools }) => tools.filter((entry) => entry.startsWith('mcp:')).map((one) => sourceOf(one))),
  ),
];
