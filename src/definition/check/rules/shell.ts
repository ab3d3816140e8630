// The rule about `shell.sandbox: required`: the program that makes the sandbox is installed, if an agent runs commands.

import { nodeAt } from '../../../base/yaml/node.ts';
import { sourcesUsed } from '../../../patterns/record.ts';
import type { Rule } from './checkup.ts';

export const requiredSandboxIsThere: Rule = ({ agents, config: { config, source, tree }, hasCommand, report }) => {
  if (config.shell?.sandbox !== 'required' || source === undefined || tree === undefined) return;
  const runsCommands = [...agents.values()].some(({ definition }) =>
    sourcesUsed(definition).some((tool) => tool === 'shell' || tool.startsWith('shell/')),
  );
  if (!runsCommands || hasCommand('bwrap')) return;
  report({
    code: 'shell/no-sandbox',
    source,
    at: nodeAt(tree, ['shell', 'sandbox']),
    message: 'commands need a sandbox here, and bubblewrap (bwrap) is not installed',
    help: 'Install it (Debian: apt install bubblewrap), or write sandbox: auto to run commands without one.',
  });
};
