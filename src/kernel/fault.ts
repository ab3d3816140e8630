// Faults: every expected failure, as plain data with a stable code. The one table below gives each code its
// outcome, whether another try may help, the exit code and the HTTP status. Nothing matches on message text.

/** The ends that a session, child or run can have. */
export const OUTCOME_KINDS = [
  'answered',
  'routed',
  'left',
  'exhausted',
  'over-budget',
  'timed-out',
  'cancelled',
  'failed',
] as const;

export type OutcomeKind = (typeof OUTCOME_KINDS)[number];

interface FaultClass {
  readonly outcome: OutcomeKind;
  readonly retriable: boolean;
  readonly exit: number;
  readonly http: number;
  readonly means: string;
}

export const EXIT = {
  answered: 0,
  failed: 1,
  usage: 2,
  exhausted: 3,
  overBudget: 4,
  timedOut: 5,
  cancelled: 130,
} as const;

const failed = (http: number, means: string): FaultClass => ({
  outcome: 'failed',
  retriable: false,
  exit: EXIT.failed,
  http,
  means,
});
const passing = (http: number, means: string): FaultClass => ({ ...failed(http, means), retriable: true });

/** The message of a run that was cancelled without a reason. */
export const WITHOUT_REASON = 'The run was cancelled.';

export const FAULTS = {
  usage: { ...failed(400, 'the command line or request is not understood'), exit: EXIT.usage },
  internal: failed(500, 'a defect in Cadre'),

  'agent/unreadable': failed(400, 'a file or folder of agents cannot be read'),
  'agent/invalid': failed(422, 'the check found errors in the agent files'),
  'agent/unknown': failed(404, 'no agent of that name'),
  'config/unset-variable': failed(422, 'cadre.yaml names an environment variable that is not set'),
  'config/invalid': failed(422, 'cadre.yaml is not understood'),
  'config/pinned-only': failed(409, 'a run would use configuration that only its store holds'),
  'input/invalid': failed(422, "the input does not satisfy the agent's input contract"),

  'model/unknown': failed(422, 'no provider or alias of that name'),
  'model/rate-limit': passing(429, 'the provider asks to slow down'),
  'model/server': passing(502, 'the provider failed'),
  'model/network': passing(502, 'the provider could not be reached, or the connection broke'),
  'model/timeout': passing(504, 'the model did not answer in time'),
  'model/stalled': passing(504, 'the stream stopped arriving'),
  'model/empty': passing(502, 'the reply held neither text nor a tool call'),
  'model/cut-off': passing(502, 'the reply ended before it was complete'),
  'model/malformed': passing(502, 'the reply could not be understood'),
  'model/refused-key': failed(401, 'the provider refused the key'),
  'model/missing-key': failed(401, 'no key for this provider'),
  'model/bad-request': failed(400, 'the provider refused the request'),
  'model/content-filter': failed(422, "the provider's filter stopped the reply"),
  'model/unscripted': failed(500, 'the script has no step for this call'),
  'model/recording': failed(500, 'the recording does not hold this call'),

  'tool/unknown': failed(422, 'no tool of that name'),
  'tool/failed': failed(502, 'the tool reported an error'),
  'tool/timeout': { ...failed(504, 'the tool did not answer in time'), retriable: true },
  'tool/in-doubt': failed(500, 'the call had begun when the process died; its outcome is unknown'),
  'tool/denied': failed(
    403,
    'a rule under deny forbids the call; or a person said no, or no one was there to approve it',
  ),
  'tool/source': failed(502, 'a tool source could not be opened'),

  'output/invalid': failed(422, 'the answer does not satisfy the output contract'),
  invalid_chain_payload: failed(422, "the upstream's answer does not satisfy the downstream's input"),
  chat_disabled: failed(422, 'this agent cannot be asked for clarification'),
  clarification_no_turns: failed(422, 'the agent has no turns left to answer with'),
  clarification_unknown: failed(404, 'no open session of that id'),
  'context/overflow': failed(413, 'what must be sent does not fit the context window'),
  'advisors/failed': failed(424, 'an advisor whose answer was required did not answer'),
  'repeat/judge': failed(424, 'the judge of a loop did not say whether an answer is good'),
  'each/failed': failed(424, 'more items of a map failed than may fail, or none of them has an answer'),
  'subagent/process': failed(502, 'the process of a sub-agent could not be started, or what it said could not be used'),
  'limit/depth': failed(422, 'the run is nested deeper than limits.maxDepth allows'),
  'spawn/dependency': failed(424, 'a run that this one depends on did not answer'),

  'turns/exhausted': {
    outcome: 'exhausted',
    retriable: false,
    exit: EXIT.exhausted,
    http: 422,
    means: 'turns spent without an answer',
  },
  'turns/no-progress': {
    outcome: 'exhausted',
    retriable: false,
    exit: EXIT.exhausted,
    http: 422,
    means: 'the same call brought the same result again and again',
  },
  'repeat/not-ok': {
    outcome: 'exhausted',
    retriable: false,
    exit: EXIT.exhausted,
    http: 422,
    means: 'the answers of a loop are spent, and none of them was found good',
  },
  'budget/exceeded': {
    outcome: 'over-budget',
    retriable: false,
    exit: EXIT.overBudget,
    http: 402,
    means: 'a budget was reached',
  },
  timeout: { outcome: 'timed-out', retriable: true, exit: EXIT.timedOut, http: 504, means: 'a deadline passed' },
  cancelled: {
    outcome: 'cancelled',
    retriable: false,
    exit: EXIT.cancelled,
    http: 499,
    means: 'a person, a parent or a supervisor ended it',
  },

  'request/invalid': failed(400, 'the request does not have the form that the server takes'),
  'request/unauthorized': failed(401, 'the request has no token, or one that is not known'),
  'request/forbidden': failed(403, 'the token may not do this, or the request came from another web page'),
  'request/not-found': failed(404, 'the server has nothing at that address'),
  'request/method': failed(405, 'the address takes another method'),
  'request/too-large': failed(413, 'the request is larger than server.maxBodyBytes allows'),
  'request/media-type': failed(415, 'the body is not of a type that the server takes'),
  'request/key-reused': failed(422, 'the Idempotency-Key was used for another request'),
  'request/rate': passing(429, 'more requests than server.requestsPerMinute allows'),
  'server/busy': passing(429, 'as many runs wait as server.maxWaiting allows'),
  'server/draining': passing(503, 'the server is about to end, and starts nothing'),

  'run/unknown': failed(404, 'no run of that id'),
  'run/locked': failed(409, 'another process is writing this run'),
  'run/taken-over': failed(409, 'another process took this run over'),
  'run/finished': failed(409, 'the run has ended already'),
  'run/undone': failed(409, 'changes of the run were taken back, so it cannot go on'),
  'undo/conflict': failed(409, 'a file cannot be restored: it was changed since, or its text was not kept'),
  'approval/unknown': failed(404, 'nothing waits for a person at that op'),
  'approval/decided': failed(409, 'somebody has decided already'),
  'approval/changed': failed(409, 'the op asks for something else than what the person was shown'),
  'approval/answer': failed(422, 'the answer does not fit what the person was asked'),
  'thread/unknown': failed(404, 'no thread of that id'),
  'thread/other-agent': failed(409, 'the thread is a conversation with another agent'),
  'test/unknown': failed(404, 'no result of tests of that id'),
  'test/not-here': failed(409, 'the tests have ended, or another process runs them'),
  'journal/corrupt': failed(500, 'the journal cannot be read'),
  'journal/version': failed(409, 'another release wrote the journal, in a form that this one cannot use so'),
  'journal/divergence': failed(409, 'the program does not do what the journal recorded'),
  'journal/write': failed(507, 'the journal could not be written'),
  'store/unreachable': failed(503, 'the database that keeps the runs does not answer'),
} as const satisfies Record<string, FaultClass>;

export type FaultCode = keyof typeof FAULTS;

export interface Fault {
  readonly code: FaultCode;
  readonly message: string;
  /** The agent at which it happened, if that is not the run's own agent. */
  readonly stage?: string;
  /** JSON-safe details: violations, sizes, the time to wait. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Carries a Fault across a `throw`. */
export class FaultError extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(fault.message);
    this.name = 'FaultError';
    this.fault = fault;
  }
}

export function fault(code: FaultCode, message: string, details?: Readonly<Record<string, unknown>>): Fault {
  return details === undefined ? { code, message } : { code, message, details };
}

export function fail(code: FaultCode, message: string, details?: Readonly<Record<string, unknown>>): never {
  throw new FaultError(fault(code, message, details));
}

/** Turns whatever was thrown into a fault. A defect keeps its message and gets the code `internal`. */
export function faultOf(thrown: unknown): Fault {
  if (thrown instanceof FaultError) return thrown.fault;
  return fault('internal', thrown instanceof Error ? thrown.message : String(thrown));
}

export const isRetriable = (of: Fault): boolean => FAULTS[of.code].retriable;
