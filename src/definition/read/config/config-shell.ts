// `shell` of cadre.yaml: which commands may be run at all, and in what sandbox.

import { patternProblem } from '../../../base/text/shell-words.ts';
import type { YamlNode } from '../../../base/yaml/node.ts';
import { type ShellConfig, USUAL_SHELL } from '../../definition.ts';
import { choice, flag, list, type ReadContext, reportAt, type Shape, text } from '../shape.ts';
import { key, object, refineShape, type Values } from '../shape-object.ts';

const shellKeys = {
  allow: key(
    list(text('a command such as npm test or pytest *'), { min: 1 }),
    'The only commands that may be run; any without it. * at the end stands for further words; after git for no option that runs or writes.',
  ),
  sandbox: key(
    choice(['auto', 'required', 'off']),
    'auto: bubblewrap where it is installed. required: no command without it. off: never.',
    { fallback: USUAL_SHELL.sandbox },
  ),
  network: key(flag, 'true: commands in the sandbox have the network.', { fallback: USUAL_SHELL.network }),
};

export const shellShape: Shape<ShellConfig> = refineShape(object(shellKeys), shellOf);

function shellOf(
  { allow, sandbox = USUAL_SHELL.sandbox, network = USUAL_SHELL.network }: Values<typeof shellKeys>,
  node: YamlNode,
  path: string,
  reading: ReadContext,
): ShellConfig {
  const written = node.kind === 'map' ? node.entries.get('allow')?.value : undefined;
  for (const [index, pattern] of (allow ?? []).entries()) {
    const problem = patternProblem(pattern);
    if (problem === undefined) continue;
    reportAt((written?.kind === 'list' ? written.items[index] : written) ?? node, reading, {
      code: 'config/shell-allow',
      message: `\`${path}.allow\` has ${JSON.stringify(pattern)}, which is not a plain command: ${problem}`,
      help: 'Write the words of one command, such as npm test, or pytest * for any further words.',
    });
  }
  if (sandbox === 'off' && network) {
    reportAt(node, reading, {
      code: 'config/shell-network',
      severity: 'warning',
      message: `\`${path}.network\` says nothing without a sandbox: every command has the network then`,
      help: 'Remove it.',
    });
  }
  return { ...(allow !== undefined && { allow }), sandbox, network };
}
