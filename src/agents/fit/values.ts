// The values of a meet, where they are few enough to be tried one by one.
import type { Budget } from './budget.ts';
import { evaluate } from './evaluate.ts';
import type { Kind } from './kinds.ts';
import type { Meet } from './meet.ts';
import { integerLower, integerUpper, profileOf, valuesOf, type Profile } from './profile.ts';
import type { LocatedObject, Side } from './schema.ts';
import { complaintsOf, type Complaint } from './verdict.ts';

export interface Candidates {
  readonly values: readonly unknown[];
  /** Who lists them; undefined where they follow from the kinds and the range. */
  readonly listedBy: Side | undefined;
}

const longestRun = 32;

/** A list that holds every value of the meet, and perhaps others. */
export function candidates(meet: Meet): Candidates | undefined {
  const profile = profileOf(meet);
  const lists = profile.members.flatMap((member) => listOf(member) ?? []);
  const shortest = lists.sort((one, other) => one.values.length - other.values.length)[0];
  if (shortest !== undefined) return shortest;
  const runs = [...profile.kinds].map((kind) => runOf(kind, profile));
  if (runs.length === 0 || runs.some((run) => run === undefined)) return undefined;
  return { values: runs.flatMap((run) => run ?? []), listedBy: undefined };
}

function listOf(member: LocatedObject): Candidates | undefined {
  const values = valuesOf(member);
  return values === undefined ? undefined : { values, listedBy: member.resource.side };
}

function runOf(kind: Kind, profile: Profile): readonly unknown[] | undefined {
  if (kind === 'null') return [null];
  if (kind === 'boolean') return [false, true];
  if (kind !== 'integer') return undefined;
  const first = integerLower(profile.lower).value;
  const length = integerUpper(profile.upper).value - first + 1;
  if (!(length <= longestRun) || !Number.isSafeInteger(first)) return undefined;
  return Array.from({ length: Math.max(0, length) }, (_, index) => first + index);
}

/** Why the value is surely not in the meet; undefined where it may be. */
export function refusal(value: unknown, meet: Meet, budget: Budget): (Complaint & { readonly by: Side }) | undefined {
  for (const member of meet.members) {
    const verdict = evaluate(value, member, budget);
    if (verdict.answer === 'no') {
      const complaint = complaintsOf(verdict)[0] ?? { path: '', value, wants: 'another value' };
      return { ...complaint, by: member.resource.side };
    }
  }
  for (const schema of meet.outside) {
    if (evaluate(value, schema, budget).answer === 'yes')
      return { path: '', value, wants: 'a value that its `not` does not exclude', by: schema.resource.side };
  }
  return undefined;
}
