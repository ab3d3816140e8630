// The gate over the whole graph, before a token is spent: a table of rules, each a small function in rules/.
// What each file says by itself has been judged while it was read; unresolved references while they were linked.

import { chainReasonsAreAccepted, declaredSchemasAreKept, schemasFitAlongChains } from './rules/chain.ts';
import type { Checkup, Rule } from './rules/checkup.ts';
import { whoGetsTheRequestTakesText } from './rules/inputs.ts';
import { capsAreKept, nestingIsWithinLimits } from './rules/limits.ts';
import {
  aliasesAndWrapsResolve,
  everyAgentHasAModel,
  modelNamesResolve,
  packagesAreInstalled,
} from './rules/models.ts';
import {
  excludingKeysDoNotMeet,
  furtherNextEntriesAreUnused,
  nobodyIsItsOwnAncestor,
  nobodyIsNamedTwice,
  referredAgentsAreDescribed,
} from './rules/references.ts';
import { schemasAreValid, schemasStandWithJson } from './rules/schemas.ts';
import { quorumsCanBeReached, teamsAreWellSeated } from './rules/team.ts';
import { approvedToolsAreListed, toolSourcesExist } from './rules/tools.ts';

/** By the items of SPEC 3. */
const RULES: readonly Rule[] = [
  // 1
  referredAgentsAreDescribed,
  everyAgentHasAModel,
  // 2
  nobodyIsItsOwnAncestor,
  // 3 and 4
  schemasFitAlongChains,
  declaredSchemasAreKept,
  chainReasonsAreAccepted,
  whoGetsTheRequestTakesText,
  // 5
  nobodyIsNamedTwice,
  furtherNextEntriesAreUnused,
  excludingKeysDoNotMeet,
  // 6
  teamsAreWellSeated,
  quorumsCanBeReached,
  // 7
  schemasAreValid,
  schemasStandWithJson,
  toolSourcesExist,
  approvedToolsAreListed,
  modelNamesResolve,
  aliasesAndWrapsResolve,
  packagesAreInstalled,
  // 8
  capsAreKept,
  nestingIsWithinLimits,
];

export function check(checkup: Checkup): void {
  for (const rule of RULES) rule(checkup);
}
