// Keeps the process alive while runs are at work in it, whatever they wait for: a person, another run, a server. Once the
// last one has ended, a program that has nothing else to do ends too, whether it closed its cadre or not.

let runs = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** As long as a timer can be. */
const SELDOM_MS = 2 ** 31 - 1;

/** Holds the process until what it gives back is called, once. */
export function holdProcess(): () => void {
  if (runs === 0) timer = setInterval(() => {}, SELDOM_MS);
  runs++;
  return () => {
    runs--;
    if (runs === 0) clearInterval(timer);
  };
}
