// Keeps the process alive while runs are at work in it, whatever they wait for: a person, another run, a server. Once the
// last one has ended, a program that has nothing else to do ends too, whether it closed its cadre or not.

let runs = 0;
/** One timer for the whole process. One for each run would cost a very short run a tenth of its time. */
let timer: ReturnType<typeof setInterval> | undefined;

/** The longest time that a timer can have. */
const SELDOM_MS = 2 ** 31 - 1;

/** Keeps the process alive until the returned function is called. Call it once. */
export function holdProcess(): () => void {
  if (runs++ === 0) timer = timer?.ref() ?? setInterval(() => {}, SELDOM_MS);
  return letGo;
}

function letGo(): void {
  if (--runs === 0) timer?.unref();
}
