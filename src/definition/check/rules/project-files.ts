// The rule about `projectFiles`: each is a text of the workspace. One that is missing may still come, one that is closed
// may not.

import { closedPath } from '../../read/project-files.ts';
import { forEachAgent, placeIn, workspaceFor } from './checkup.ts';

export const projectFilesAreThere = forEachAgent((agent, checkup) => {
  const { projectFiles } = agent.definition;
  const workspace = projectFiles.length === 0 ? undefined : workspaceFor(checkup);
  if (workspace === undefined) return;
  for (const [index, path] of projectFiles.entries()) {
    if (closedPath(path) !== undefined) continue; // the reader has said so
    const problem = checkup.workspaceFileProblem(workspace, path);
    if (problem === undefined) continue;
    const place = placeIn(agent, checkup, ['projectFiles', index]);
    if (problem === 'missing')
      checkup.report({
        code: 'project-file/missing',
        severity: 'warning',
        ...place,
        message: `there is no ${path} in the workspace ${workspace}, so the prompt goes without it`,
        help: 'Write the file, or take it out of projectFiles. Paths are relative to the workspace; nothing is searched for.',
      });
    else
      checkup.report({
        code: 'project-file/closed',
        ...place,
        message: problem.why,
        help: 'Name a regular text file in the workspace that holds no secrets.',
      });
  }
});
