// Keeps the process alive while runs are at work in it, whatever they wait for: a person, another run, a server. Once the
// last one has ended, a program that has nothing else to do ends too, whether it closed its cadre or not.

let runs = 0;
/** One for the life of the process: to make one for each run would cost a run that is over at once a tenth of its time. */
let timer: ReturnType<typeof setInterval> | undefined;

/** As long as a timer can be. */
const SELDOM_MS = 2 ** 31 - 1;

/** Holds the process until what it gives back is called, once. */
export function holdProcess(): () => void {
  if (runs++ === 0) timer = timer?.ref() ?? setInterval(() => {}, SELDOM_MS);
  return letGo;
}

function letGo(): void {
  if (--runs === 0) timer?.unref();
}
