// The tools of an agent that ask a person: those that its file names under `approve`, and those that ask by default and
// are not named under `trust`. `approve` counts before `trust`.

import type { AgentDefinition } from '../../definition/definition.ts';
import { parseTrust, type TrustEntry } from '../../definition/trust.ts';
import { type BoxedTool, isMeantBy } from '../../tools/toolbox.ts';
import type { AgentTools, TrustedCalls } from '../resources.ts';

export function askingTools(
  { approve, trust }: AgentDefinition,
  boxed: readonly BoxedTool[],
): Pick<AgentTools, 'approve' | 'previews' | 'trusted'> {
  const entries = trust.flatMap((entry) => parseTrust(entry) ?? []);
  const isApproved = (one: BoxedTool): boolean => approve.some((entry) => isMeantBy(entry, one));
  const asking = boxed.filter((one) => isApproved(one) || (one.tool.asks !== undefined && !isTrusted(one, entries)));
  const previews = asking.filter(({ tool }) => tool.preview !== undefined);
  const trusted = asking.flatMap((one): [string, readonly TrustedCalls[]][] => {
    const calls = isApproved(one) ? [] : trustedCalls(one, entries);
    return calls.length === 0 ? [] : [[nameOf(one), calls]];
  });
  return {
    approve: asking.map(nameOf),
    ...(previews.length > 0 && { previews: previews.map(nameOf) }),
    ...(trusted.length > 0 && { trusted: new Map(trusted) }),
  };
}

const nameOf = ({ tool }: BoxedTool): string => tool.spec.name;

const isTrusted = (one: BoxedTool, entries: readonly TrustEntry[]): boolean =>
  entries.some(({ name, inBrackets }) => inBrackets === undefined && isMeantBy(name, one));

const trustedCalls = (one: BoxedTool, entries: readonly TrustEntry[]): readonly TrustedCalls[] =>
  entries.flatMap(({ entry, name, inBrackets }) =>
    inBrackets !== undefined && isMeantBy(name, one) ? [{ entry, inBrackets }] : [],
  );
