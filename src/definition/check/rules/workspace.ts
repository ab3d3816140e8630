// The rule about `workspace` of cadre.yaml: it is a folder of this machine.

import { nodeAt } from '../../../base/yaml/node.ts';
import type { Rule } from './checkup.ts';

export const workspaceIsAFolder: Rule = ({ config: { config, source, tree }, isFolder, report }) => {
  const { workspace } = config;
  if (workspace === undefined || source === undefined || tree === undefined || isFolder(workspace)) return;
  report({
    code: 'workspace/missing',
    source,
    at: nodeAt(tree, ['workspace']),
    message: `the workspace ${workspace} is not a folder`,
    help: 'Name a folder of this machine, relative to cadre.yaml, or remove the line.',
  });
};
