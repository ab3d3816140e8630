// The views of a run that goes on: a live tree, lines, JSON events or nothing. All four have one contract, so that code
// that follows a run need not ask which it is. The live tree is in live-view.ts.

import type { RunEvent } from '../../journal/event.ts';
import type { Watcher } from '../../run/bus.ts';
import { Lineage } from '../../views/lineage.ts';
import { callTallyFold } from '../../views/progress/call-tally.ts';
import { progressLines } from '../render/progress-lines.ts';
import { notify, printJson, writeTo } from '../screen/output.ts';

export interface View extends Watcher {
  event(event: RunEvent): void;
  /** Something a person should see at once. */
  notice(text: string): void;
  /** Hands over the screen until the work is done. */
  alone<Value>(use: () => Promise<Value>): Promise<Value>;
  /** The last picture stays; nothing is drawn after it. */
  finish(): void;
}

export function lineView(stream: NodeJS.WriteStream): View {
  const lineOf = progressLines();
  const say = (text: string): void => writeTo(stream, text);
  return {
    event(event) {
      const line = lineOf(event);
      if (line !== undefined) say(line);
    },
    live(event) {
      if (event.type === 'waiting' && event.for === 'tools') say(`waiting for ${event.names.join(', ')} to start`);
    },
    notice: say,
    alone: (use) => use(),
    finish() {},
  };
}

/** The last line also says how many calls came to nothing: that is read from all events before it. */
export function jsonView(): View {
  const runs = new Lineage();
  const tally = callTallyFold(runs);
  return {
    event(event) {
      runs.add(event);
      tally.add(event);
      printJson(JSON.stringify(event.type === 'run-end' ? { ...event, calls: tally.tally() } : event));
    },
    notice: notify,
    alone: (use) => use(),
    finish() {},
  };
}

export function silentView(): View {
  return { event() {}, notice: notify, alone: (use) => use(), finish() {} };
}
