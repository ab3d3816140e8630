// Work that is done once per frame, however often it is asked for. A page in the background has no frames: there it is
// done four times a second.

export function onceAFrame(work: () => void): () => void {
  let waiting = false;
  const go = (): void => {
    waiting = false;
    work();
  };
  return () => {
    if (waiting) return;
    waiting = true;
    if (document.visibilityState === 'hidden') setTimeout(go, 250);
    else requestAnimationFrame(go);
  };
}
