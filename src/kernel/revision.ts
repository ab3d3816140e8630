// The revisions of the kernel. A run names its own in its first event and keeps to its rules: on the same record, today's
// kernel takes the way that the kernel of that release took.

/** A release that does something else on the same record raises it. The difference is a rule below. */
export const KERNEL_REVISION = 3;

/** The acts of the kernel in runs of some revisions, and not in those before. */
export interface KernelRules {
  /** A session that goes in circles is warned, and then ended. Since revision 3. */
  readonly guardsCircles: boolean;
  /**
   * The tools of a session are the same from its first turn to its last, with shorter texts, so that providers read what
   * was said before from their caches. Since revision 3.
   */
  readonly keepsTools: boolean;
  /** A session without room is compacted before it takes its final turn. Since revision 3. */
  readonly compacts: boolean;
}

export const rulesOf = (revision: number): KernelRules => (revision >= 3 ? TODAYS_RULES : BEFORE_3);

/** The rules of a run that begins now. */
export const TODAYS_RULES: KernelRules = { guardsCircles: true, keepsTools: true, compacts: true };

const BEFORE_3: KernelRules = { guardsCircles: false, keepsTools: false, compacts: false };
