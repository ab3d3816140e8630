// The command that starts the same run, from the folder that is served.

import type { AgentInfo } from '../../../src/server/protocol.ts';

/**
 * The command that runs an agent. If several cadres are served, the agent is named by its file. The shell takes the
 * text between single quotes as it is.
 */
export function runCommand(
  { name, prefix, file }: Pick<AgentInfo, 'name' | 'prefix' | 'file'>,
  input: unknown,
  files: readonly string[] = [],
): string {
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  const sent = files.map((one) => ` --file ${quoted(one)}`).join('');
  return `cadre run ${prefix === '' ? name : file} ${quoted(text)}${sent}`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
