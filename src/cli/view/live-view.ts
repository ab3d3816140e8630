// The live view: the tree of sessions, redrawn in place while the run goes on.

import { progressFold, type SessionProgress } from '../../views/progress/progress.ts';
import { liveTree } from '../render/live-tree.ts';
import { Painter } from '../render/painter.ts';
import { controlLine } from '../render/progress-lines.ts';
import { writeTo } from '../screen/output.ts';
import type { Paint } from '../screen/terminal.ts';
import type { View } from './view.ts';

const FRAME_MS = 90;
/** Rows that stay free below the tree: the cursor's row, and an empty one. */
const SPARE_ROWS = 2;

/** Characters that are kept for each row of what is being written. */
const LONGEST_ROW = 200;

export function liveView(
  stream: NodeJS.WriteStream,
  {
    paint,
    maxTurns,
    writing,
  }: {
    readonly paint: Paint;
    maxTurns(session: SessionProgress): number | undefined;
    /** Rows of what is being written. */
    readonly writing?: number;
  },
): View {
  const fold = progressFold(writing === undefined ? undefined : writing * LONGEST_ROW);
  const painter = new Painter(stream);
  let resting = 0;
  let finished = false;
  const draw = (): void => {
    if (resting > 0) return;
    const columns = Math.max(20, (stream.columns ?? 80) - 1);
    const rows = Math.max(3, (stream.rows ?? 24) - SPARE_ROWS);
    painter.draw(
      liveTree(fold.now(), { columns, rows, now: Date.now(), paint, maxTurns, ...(writing && { writing }) }),
    );
  };
  const frames = setInterval(draw, FRAME_MS);
  frames.unref();
  stream.on('resize', draw);
  /** Notices that came while another part had the screen. */
  const held: string[] = [];
  const notice = (text: string): void => {
    if (resting > 0) held.push(text);
    else painter.above(paint('warning', text));
  };
  return {
    event(event) {
      fold.add(event);
      if (event.type === 'control') notice(controlLine(event));
    },
    live(event) {
      if (event.type === 'text') fold.delta(event.path, event.text);
      else if (event.type === 'waiting') fold.waiting(event.path, event.for, event.names);
      else if (event.type === 'waited') fold.waited(event.path);
    },
    notice,
    async alone(use) {
      resting++;
      painter.clear();
      try {
        return await use();
      } finally {
        resting--;
        if (resting === 0) for (const text of held.splice(0)) notice(text);
      }
    },
    finish() {
      if (finished) return;
      finished = true;
      clearInterval(frames);
      stream.off('resize', draw);
      draw();
      painter.leave();
      writeTo(stream, '');
    },
  };
}
