// One run as its screen looks at it: further views of its events, and the part of the time that is seen, which moves more
// often than an address may be written. What a link should carry stands in the address.

import { computed, signal } from '@preact/signals';
import { faultSettingFold } from '../../../../src/views/fault-setting.ts';
import type { SessionProgress } from '../../../../src/views/progress/progress.ts';
import { WhyFold } from '../../../../src/views/talk/why.ts';
import { opFactsFold } from '../../../../src/views/tree/op-facts.ts';
import { WaitsFold } from '../../../../src/views/waits.ts';
import { serverNow } from '../../data/clock.ts';
import { runAgents, turnsOf } from '../../data/run-agents.ts';
import type { RunData } from '../../data/run-data.ts';
import type { TimeWindow } from './timeline/time-window.ts';

export class RunView {
  readonly data: RunData;
  /** Undefined: all of it. */
  readonly window = signal<TimeWindow | undefined>(undefined);
  readonly agents;
  /** True if the first look has been arranged: the failing op of a run that failed. */
  arranged = false;
  /** Events after this are news: nothing is selected for a person who looks already. */
  readonly openedAt = serverNow();
  /** It was at work in the first look. */
  openedLive = false;

  readonly facts;
  readonly why;
  /** The waits of the run up to a moment. */
  readonly waits;
  /** The facts around the fault that ended it. */
  readonly fault;
  /** When the run began and when its last event came. */
  readonly times = computed(() => {
    const { events, count } = this.data.extent.value;
    return { start: events[0]?.at ?? 0, last: events[count - 1]?.at ?? 0 };
  });

  constructor(data: RunData) {
    this.data = data;
    this.facts = data.view(opFactsFold, (fold) => ({ at: fold.at, start: fold.start() }));
    this.agents = runAgents(data);
    this.waits = data.view(
      () => new WaitsFold(),
      (fold) => (until: number) => fold.waits(until),
    );
    this.fault = data.view(faultSettingFold, (fold) => ({ setting: fold.setting }));
    this.why = data.view(
      () => new WhyFold(),
      (fold) => ({ why: fold.why, provenance: fold.provenance }),
    );
  }

  /** `turn 2 of 8` */
  turnWords(session: Pick<SessionProgress, 'agent' | 'seat' | 'turn'>): string {
    const most = turnsOf(session, this.agents.value);
    return most === undefined ? `turn ${session.turn}` : `turn ${session.turn} of ${most}`;
  }
}

const views = new WeakMap<RunData, RunView>();

export function viewOf(data: RunData): RunView {
  const known = views.get(data) ?? new RunView(data);
  views.set(data, known);
  return known;
}
