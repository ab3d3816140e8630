// The rule about `shell.sandbox: required`: the program that makes the sandbox is installed, if an agent runs commands.

import { sourcesUsed } from '../../../patterns/record.ts';
import { forConfig } from './checkup.ts';

export const requiredSandboxIsThere = forConfig(({ shell }, placeAt, { agents, hasCommand, report }) => {
  if (shell?.sandbox !== 'required') return;
  const runsCommands = [...agents.values()].some(({ definition }) =>
    sourcesUsed(definition).some((tool) => tool === 'shell' || tool.startsWith('shell/')),
  );
  if (!runsCommands || hasCommand('bwrap')) return;
  report({
    code: 'shell/no-sandbox',
    ...placeAt(['shell', 'sandbox']),
    message: 'commands need a sandbox here, and bubblewrap (bwrap) is not installed',
    help: 'Install it (Debian: apt install bubblewrap), or write sandbox: auto to run commands without one.',
  });
});
