// The state of a run while it works, as folds of its events: inboxes and channels, spawned runs, what was spent, the
// tools that sessions were offered, and whether it was asked to end. A resumed run gets its state the same way.
// STATE-1. A message from outside has its effect when its event is added, and only by that. Its event is recorded
//     first: `state.add(journal.append(...))`, and `journal.flush()` before its sender gets an answer.
// STATE-2. The event of a message that can have no effect any more says why (`refused`), and is not acted on.

import type { CadreDefinition } from '../definition/definition.ts';
import type { RunEvent, RunId } from '../journal/event.ts';
import type { ControlMessage } from '../kernel/control.ts';
import { type Fault, fault } from '../kernel/fault.ts';
import type { SharedContext } from '../kernel/spawned.ts';
import { quoteText } from '../patterns/quote-text.ts';
import { redactedValue } from '../secrets/redacted-value.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { cancelledBy, type Stop } from '../world/abort.ts';
import { type BackgroundRuns, openBackgroundRuns } from '../world/state/background-runs/background-runs.ts';
import { backgroundRunsOnDemand } from '../world/state/background-runs/on-demand.ts';
import type { OutsideRuns } from '../world/state/background-runs/outside-runs.ts';
import { type Inboxes, openInboxes } from '../world/state/inboxes.ts';
import type { Fold } from '../world/state/projection.ts';
import { type Offers, offersOf } from './offers.ts';
import { openSpentBelow, type SpentBelow } from './spent-below.ts';
import { verdictFault } from './verdict-fault.ts';
import { Verdicts } from './verdicts.ts';

export interface RunState extends Fold {
  readonly inboxes: Inboxes;
  readonly backgroundRuns: BackgroundRuns;
  /** Absent if no agent has a budget. */
  readonly spent: SpentBelow | undefined;
  readonly verdicts: Verdicts;
  /** The values that were shared from outside with a run that waits, later keys over earlier ones. */
  shared(): SharedContext | undefined;
  /** Absent if no tools can change. */
  readonly offers: Offers | undefined;
  /** The reason why a message can have no effect. Undefined if it can. */
  refusal(message: ControlMessage): Fault | undefined;
}

interface RunStateParts {
  readonly run: RunId;
  readonly cadre: CadreDefinition;
  readonly recorded: readonly RunEvent[];
  /** Aborted when the run is cancelled, and when a final answer is asked for. */
  readonly stop: Stop;
  readonly graceful: Stop;
  readonly outside: OutsideRuns;
  now(): number;
}

export function openRunState({ run, cadre, recorded, stop, graceful, outside, now }: RunStateParts): RunState {
  const backgroundRuns = backgroundRunsOnDemand(() =>
    openBackgroundRuns({ run, since: recorded[0]?.at, outside, now }),
  );
  const inboxes = openInboxes({ sessionOf: (spawned) => backgroundRuns.sessionOf(spawned), now });
  const spent = hasBudgets(cadre) ? openSpentBelow() : undefined; // without a budget it is not needed
  const verdicts = new Verdicts();
  const said = new ControlFold(stop, graceful);
  const offers = offersOf(cadre);
  /** PROJECTION-1. Written out, because every event of every run comes through here. */
  const add = (event: RunEvent): void => {
    inboxes.add(event); // first: a run that waits finds the announcement made
    backgroundRuns.add(event);
    verdicts.add(event);
    said.add(event);
    spent?.add(event);
    offers?.add(event);
  };
  for (const event of recorded) add(event);
  return {
    inboxes,
    backgroundRuns,
    spent,
    verdicts,
    shared: () => said.shared,
    offers,
    add,
    refusal(message) {
      if (message.kind === 'verdict') return verdictFault(run, message, verdicts);
      if (message.kind !== 'cancel' && message.kind !== 'send') return undefined;
      if (message.to === undefined || backgroundRuns.sessionOf(message.to) !== undefined) return undefined;
      return fault('run/finished', `${message.to} has ended, or was never there.`);
    },
  };
}

const withBudgets = new WeakMap<CadreDefinition, boolean>();

/** The answer is found once for a cadre: every run asks. */
function hasBudgets(cadre: CadreDefinition): boolean {
  const known = withBudgets.get(cadre);
  if (known !== undefined) return known;
  const found = [...cadre.agents.values()].some(({ budget }) => budget !== undefined);
  withBudgets.set(cadre, found);
  return found;
}

/** The messages to the run as a whole. */
class ControlFold implements Fold {
  readonly #stop: Stop;
  readonly #graceful: Stop;
  shared: SharedContext | undefined;

  constructor(stop: Stop, graceful: Stop) {
    this.#stop = stop;
    this.#graceful = graceful;
  }

  add(event: RunEvent): void {
    if (event.type !== 'control' || event.refused !== undefined) return;
    const { message } = event;
    if (message.kind === 'stop') this.#graceful.abort(cancelledBy(message.reason));
    else if (message.kind === 'cancel' && message.to === undefined) this.#stop.abort(cancelledBy(message.reason));
    else if (message.kind === 'share-context') this.shared = { ...this.shared, ...message.context };
  }
}

/**
 * A message from outside as it may be recorded. It is redacted, and the text of a sent message is quoted, because it
 * arrives together with texts of the patterns.
 */
export function recordable(message: ControlMessage, secrets: Secrets | undefined): ControlMessage {
  const clean = secrets === undefined ? message : redactedValue(message, secrets);
  return clean.kind === 'send' ? { ...clean, text: quoteText(clean.text) } : clean;
}
