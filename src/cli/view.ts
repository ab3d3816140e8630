// What is shown while a run goes on: a live tree, lines, JSON events or nothing. One contract for all four, so that
// whoever follows a run does not ask which it is.

import type { RunEvent } from '../journal/event.ts';
import type { Watcher } from '../engine/bus.ts';
import { progressFold } from '../views/progress.ts';
import { liveTree } from './render/live-tree.ts';
import { Painter } from './render/painter.ts';
import { progressLines } from './render/progress-lines.ts';
import type { Paint } from './terminal.ts';

export interface View extends Watcher {
  event(event: RunEvent): void;
  /** Something a person should see at once. */
  notice(text: string): void;
  /** Gives the screen away for as long as it takes. */
  alone<Value>(use: () => Promise<Value>): Promise<Value>;
  /** The last picture stays; nothing is drawn after it. */
  finish(): void;
}

const FRAME_MS = 90;
/** Below the tree: the cursor's row, and one to breathe. */
const SPARE_ROWS = 2;

export interface LiveOptions {
  readonly paint: Paint;
  maxTurns(agent: string): number | undefined;
}

export function liveView(stream: NodeJS.WriteStream, { paint, maxTurns }: LiveOptions): View {
  const fold = progressFold();
  const painter = new Painter(stream);
  let resting = 0;
  let finished = false;
  const draw = (): void => {
    if (resting > 0) return;
    const columns = Math.max(20, (stream.columns ?? 80) - 1);
    const rows = Math.max(3, (stream.rows ?? 24) - SPARE_ROWS);
    painter.draw(liveTree(fold.now(), { columns, rows, now: Date.now(), paint, maxTurns }));
  };
  const frames = setInterval(draw, FRAME_MS);
  frames.unref();
  stream.on('resize', draw);
  return {
    event: (event) => fold.add(event),
    live(event) {
      if (event.type === 'text') fold.delta(event.path, event.text);
    },
    notice: (text) => (resting > 0 ? void stream.write(`${text}\n`) : painter.above(paint('warning', text))),
    async alone(use) {
      resting++;
      painter.clear();
      try {
        return await use();
      } finally {
        resting--;
      }
    },
    finish() {
      if (finished) return;
      finished = true;
      clearInterval(frames);
      stream.off('resize', draw);
      draw();
      painter.leave();
      stream.write('\n');
    },
  };
}

export function lineView(stream: NodeJS.WriteStream): View {
  const lineOf = progressLines();
  const say = (text: string): void => void stream.write(`${text}\n`);
  return {
    event(event) {
      const line = lineOf(event);
      if (line !== undefined) say(line);
    },
    notice: say,
    alone: (use) => use(),
    finish() {},
  };
}

export function jsonView(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream): View {
  return {
    event: (event) => void stdout.write(`${JSON.stringify(event)}\n`),
    notice: (text) => void stderr.write(`${text}\n`),
    alone: (use) => use(),
    finish() {},
  };
}

export function silentView(stderr: NodeJS.WriteStream): View {
  return { event() {}, notice: (text) => void stderr.write(`${text}\n`), alone: (use) => use(), finish() {} };
}
