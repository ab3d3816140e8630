// A scroll of two seconds over 10,000 rows: the frames of the page, of the same rows as a static list without a script, and
// of an empty box. What the machine itself cannot do is seen beside what the page does.

/** Scrolls from the top to the end in two seconds, and gives the milliseconds between frames. */
const SCROLL = `((box) => new Promise((resolve) => {
  const frames = [];
  const far = box.scrollHeight - box.clientHeight;
  box.scrollTop = 0;
  requestAnimationFrame((began) => {
    let last = began;
    const step = (now) => {
      frames.push(now - last);
      last = now;
      box.scrollTop = ((now - began) / 2000) * far;
      if (now - began < 2000) requestAnimationFrame(step);
      else resolve(frames);
    };
    requestAnimationFrame(step);
  });
}))(document.querySelector('.bench-static') ?? document.querySelector('[role=treegrid]'))`;

/** Puts copies of the rows in view in the place of the table: as many as it had, and nothing that moves. */
const MAKE_STATIC = `((box) => {
  const copy = box.cloneNode(false);
  copy.classList.add('bench-static');
  const rows = [...box.querySelectorAll('.tl-row')].slice(0, 40).map((row) => row.cloneNode(true));
  const all = document.createElement('div');
  all.className = 'rows-all';
  const count = Number(box.getAttribute('aria-rowcount'));
  all.style.height = count * 24 + 'px';
  for (let index = 0; index < count; index++) {
    const row = rows[index % rows.length].cloneNode(true);
    row.style.top = index * 24 + 'px';
    all.append(row);
  }
  copy.append(all);
  box.replaceWith(copy);
  copy.getBoundingClientRect();
})(document.querySelector('[role=treegrid]'))`;

const MAKE_EMPTY = "document.querySelector('.bench-static .rows-all').replaceChildren()";

/** A frame that came a whole frame late or more, at 60 a second. */
const LATE_MS = 25;
const ROUNDS = 5;

/** The page must show the run already, and have read all of it. */
export async function scrollFrames(page) {
  const scrolled = async () => {
    const rounds = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await page.evaluate(SCROLL));
    return rounds;
  };
  const own = await scrolled();
  const busy = await busyShare(page, () => page.evaluate(SCROLL));
  await page.evaluate(MAKE_STATIC);
  await page.waitForTimeout(1000);
  const still = await scrolled();
  await page.evaluate(MAKE_EMPTY);
  const empty = await scrolled();
  return { own: lateWords(own), still: lateWords(still), empty: lateWords(empty), busy };
}

/** The late frames of each round: a machine that stumbles is told from a page that does. */
function lateWords(rounds) {
  const late = rounds.map((frames) => frames.filter((ms) => ms > LATE_MS).length);
  const middle = late.toSorted((one, other) => one - other)[Math.floor(late.length / 2)];
  return `${middle} of ${rounds[0].length} (rounds: ${late.join(', ')})`;
}

/** Which share of the time the main thread was at work while something went on. */
export async function busyShare(page, during) {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const worked = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    const of = (name) => metrics.find((metric) => metric.name === name)?.value ?? 0;
    return { task: of('TaskDuration'), at: of('Timestamp') };
  };
  const before = await worked();
  await during();
  const after = await worked();
  await session.detach();
  return (after.task - before.task) / (after.at - before.at);
}
