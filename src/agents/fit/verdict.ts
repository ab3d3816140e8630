// The three answers of evaluating a value, and the logic over them. An answer other than yes says what was wanted, and where.

export interface Complaint {
  /** Below the value that was evaluated: `.items[2]`, or empty for the value itself. */
  readonly path: string;
  readonly value: unknown;
  readonly wants: string;
}

export type Verdict =
  | { readonly answer: 'yes' }
  | { readonly answer: 'no'; readonly complaints: readonly Complaint[] }
  | { readonly answer: 'unknown'; readonly complaints: readonly Complaint[] };

export const yes: Verdict = { answer: 'yes' };

export function no(value: unknown, wants: string): Verdict {
  return { answer: 'no', complaints: [{ path: '', value, wants }] };
}

export function unknown(value: unknown, wants: string): Verdict {
  return { answer: 'unknown', complaints: [{ path: '', value, wants }] };
}

export function decided(holds: boolean, value: unknown, wants: string): Verdict {
  return holds ? yes : no(value, wants);
}

export function complaintsOf(verdict: Verdict): readonly Complaint[] {
  return verdict.answer === 'yes' ? [] : verdict.complaints;
}

export function all(verdicts: readonly Verdict[]): Verdict {
  const refused = verdicts.filter((verdict) => verdict.answer === 'no');
  if (refused.length > 0) return { answer: 'no', complaints: refused.flatMap(complaintsOf) };
  const open = verdicts.filter((verdict) => verdict.answer === 'unknown');
  return open.length > 0 ? { answer: 'unknown', complaints: open.flatMap(complaintsOf) } : yes;
}

export function any(verdicts: readonly Verdict[], value: unknown): Verdict {
  if (verdicts.some((verdict) => verdict.answer === 'yes')) return yes;
  const answer = verdicts.every((verdict) => verdict.answer === 'no') ? 'no' : 'unknown';
  return { answer, complaints: summed(verdicts, value) };
}

export function exactlyOne(verdicts: readonly Verdict[], value: unknown): Verdict {
  const accepted = verdicts.filter((verdict) => verdict.answer === 'yes').length;
  const open = verdicts.filter((verdict) => verdict.answer === 'unknown').length;
  if (accepted > 1) return no(value, 'a value that only one of its `oneOf` alternatives accepts');
  if (open > 0) return unknown(value, 'a value that exactly one of its `oneOf` alternatives accepts');
  return accepted === 1 ? yes : { answer: 'no', complaints: summed(verdicts, value) };
}

export function negated(verdict: Verdict, value: unknown): Verdict {
  if (verdict.answer === 'no') return yes;
  return (verdict.answer === 'yes' ? no : unknown)(value, 'a value that its `not` does not exclude');
}

/** A no that another reading of the schema would not give. */
export function softened(verdict: Verdict): Verdict {
  return verdict.answer === 'no' ? { answer: 'unknown', complaints: verdict.complaints } : verdict;
}

export function under(path: string, verdict: Verdict): Verdict {
  if (verdict.answer === 'yes') return verdict;
  return {
    answer: verdict.answer,
    complaints: verdict.complaints.map((complaint) => ({ ...complaint, path: path + complaint.path })),
  };
}

/** What a set of refused alternatives wanted: each in turn when all speak of the value itself. */
function summed(verdicts: readonly Verdict[], value: unknown): readonly Complaint[] {
  const complaints = verdicts.flatMap((verdict) => complaintsOf(verdict).slice(0, 1));
  const wants = [...new Set(complaints.map((complaint) => complaint.wants))];
  const close = complaints.every((complaint) => complaint.path === '') && wants.length <= 4;
  return [{ path: '', value, wants: close ? wants.join(', or ') : 'one of its alternatives' }];
}
