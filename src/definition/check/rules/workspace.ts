// The rule about `workspace` of cadre.yaml: it is a folder of this machine.

import { forConfig } from './checkup.ts';

export const workspaceIsAFolder = forConfig(({ workspace }, placeAt, { isFolder, report }) => {
  if (workspace === undefined || isFolder(workspace)) return;
  report({
    code: 'workspace/missing',
    ...placeAt(['workspace']),
    message: `the workspace ${workspace} is not a folder`,
    help: 'Name a folder of this machine, relative to cadre.yaml, or remove the line.',
  });
});
