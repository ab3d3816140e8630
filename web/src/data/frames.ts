// Work that is done once per frame, however often it is asked for, and never all of the time: after a frame that took long,
// time is left to the person, and to what the browser does besides. A page in the background has no frames: there it is
// done four times a second.

/** `rest`: how many times as long as a long frame took is left after it. */
export function onceAFrame(work: () => void, rest: () => number = () => 1): () => void {
  let waiting = false;
  /** When the last frame's work was over, drawing included, and how long it took. */
  let last = { over: 0, took: 0 };
  const go = (): void => {
    waiting = false;
    const began = performance.now();
    work();
    setTimeout(() => {
      const over = performance.now();
      last = { over, took: over - began };
    });
  };
  return () => {
    if (waiting) return;
    waiting = true;
    const pause = last.took > LONG ? last.over + rest() * last.took - performance.now() : 0;
    if (document.visibilityState === 'hidden') setTimeout(go, 250);
    else if (pause > 0) setTimeout(() => requestAnimationFrame(go), pause);
    else requestAnimationFrame(go);
  };
}

/** Milliseconds: a frame that took longer is followed by a rest. */
const LONG = 12;
