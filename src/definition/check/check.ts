// Checks the whole graph before a token is spent, by a table of rules. Each rule is a small function in rules/.
// Each file was already checked by itself when it was read, and unresolved references were reported when linked.

import { acceptedFilesAreSeen } from './rules/accepts.ts';
import { approvedCallsAreWellFormed, deniedToolsAreKnown, noRuleIsDead, trustedToolsAsk } from './rules/call-rules.ts';
import type { Checkup, Rule } from './rules/checkup.ts';
import { compactionsCanCome, summaryModelHoldsTheWindow, summaryModelResolves } from './rules/compact.ts';
import { whoGetsTheRequestTakesText } from './rules/inputs.ts';
import { capsAreKept, nestingIsWithinLimits } from './rules/limits.ts';
import {
  aliasesAndWrapsResolve,
  everyAgentHasAModel,
  modelNamesResolve,
  packagesAreInstalled,
} from './rules/models.ts';
import { allowedCommandsAreClosed, trustedCommandsAreClosed } from './rules/open-commands.ts';
import { patternsAreInOrder } from './rules/patterns.ts';
import { projectFilesAreThere } from './rules/project-files.ts';
import {
  excludingKeysDoNotMeet,
  nobodyIsItsOwnAncestor,
  nobodyIsNamedTwice,
  referredAgentsAreDescribed,
} from './rules/references.ts';
import { schemasAreValid, schemasStandWithJson } from './rules/schemas.ts';
import { requiredSandboxIsThere } from './rules/shell.ts';
import { skillsAreThere } from './rules/skills.ts';
import { circlesAreToldOfFirst, exceptedToolsAreListed } from './rules/stuck.ts';
import { approvedToolsAreListed, toolSourcesExist } from './rules/tools.ts';
import { workspaceIsAFolder } from './rules/workspace.ts';

/** Findings are sorted later, so the order here does not matter. */
const RULES: readonly Rule[] = [
  // references
  referredAgentsAreDescribed,
  everyAgentHasAModel,
  // cycles
  nobodyIsItsOwnAncestor,
  // patterns
  patternsAreInOrder,
  whoGetsTheRequestTakesText,
  // lists and keys
  nobodyIsNamedTwice,
  excludingKeysDoNotMeet,
  // schemas, tools, models
  schemasAreValid,
  schemasStandWithJson,
  toolSourcesExist,
  approvedToolsAreListed,
  approvedCallsAreWellFormed,
  trustedToolsAsk,
  deniedToolsAreKnown,
  noRuleIsDead,
  trustedCommandsAreClosed,
  allowedCommandsAreClosed,
  requiredSandboxIsThere,
  modelNamesResolve,
  aliasesAndWrapsResolve,
  acceptedFilesAreSeen,
  packagesAreInstalled,
  workspaceIsAFolder,
  projectFilesAreThere,
  skillsAreThere,
  // limits
  capsAreKept,
  summaryModelResolves,
  summaryModelHoldsTheWindow,
  compactionsCanCome,
  circlesAreToldOfFirst,
  exceptedToolsAreListed,
  nestingIsWithinLimits,
];

/** The answers that only the disk can give. */
export type DiskAnswers = Pick<
  Checkup,
  'isInstalled' | 'isFolder' | 'workspaceFileProblem' | 'skillsHere' | 'hasCommand'
>;

export function checkCadre(checkup: Checkup): void {
  for (const rule of RULES) rule(checkup);
}
