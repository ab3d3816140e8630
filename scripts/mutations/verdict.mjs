// Says whether tests notice a mistake. Three things look like noticing and are none: a test that fails without the mistake too, one
// that is only late because the machine is busy, and one that fails now and then.
// NOTICE-1. After a failure the same tests run on the source as it is. They must pass.
// NOTICE-2. A failure of a test that took much longer than it just needed without the mistake, or a run that waited past its
//           limit, counts if the mistake does it again, after the source as it is did not.
// NOTICE-3. A run that used the processor for ten times as long as without the mistake never ends. Waiting for other programs
//           of the machine is not in that time.

/** Late: by this factor, and by more than these milliseconds. */
const FACTOR = 5;
const SLACK_MS = 5000;

/** `tests` undefined: all tests of the file. Undefined if no test of the batch notices it. */
export async function noticeOf(mistake, { file, tests, startMs }, tester) {
  const ids = tests?.map(({ id }) => id);
  const limits = tests === undefined ? limitsFor(30_000, 12_000) : limitsFor(startMs + sum(tests), longest(tests));
  const outcome = await tester.run({ mistake, file, ids, limits });
  if (outcome.ended === 'passed') return undefined;
  const asItIs = await tester.run({ file, ids: idsUpTo(outcome, ids), limits });
  if (asItIs.ended !== 'passed') {
    console.log(`not counted, because it fails on the source as it is: ${file}: ${said(asItIs)}`);
    return undefined;
  }
  if (isLate(outcome, asItIs) && (await tester.run({ mistake, file, ids, limits })).ended === 'passed')
    return undefined;
  return { by: file, test: outcome.failed[0]?.name ?? outcome.ended, said: said(outcome) };
}

const sum = (tests) => tests.reduce((total, { ms }) => total + ms, 0);
const longest = (tests) => Math.max(...tests.map(({ ms }) => ms));

const limitsFor = (usualMs, longestMs) => ({
  testMs: 2 * (SLACK_MS + FACTOR * longestMs),
  processorMs: 2 * (SLACK_MS + FACTOR * usualMs),
  wallMs: 30_000 + 2 * FACTOR * usualMs,
});

const said = ({ failed, errors, ended }) => failed[0]?.said ?? errors[0] ?? ended;

/** The tests up to the one that failed: those behind it did not run. */
function idsUpTo({ failed, tests }, ids) {
  if (ids === undefined || failed.length === 0) return ids;
  const last = tests.findLastIndex(({ state }) => state === 'failed');
  const before = new Set(tests.slice(0, last + 1).map(({ id }) => id));
  return ids.filter((id) => before.has(id));
}

function isLate(outcome, asItIs) {
  if (outcome.ended === 'endless') return false;
  if (outcome.ended === 'late') return true;
  const usual = new Map(asItIs.tests.map(({ id, ms }) => [id, ms]));
  return outcome.failed.some(({ id, ms }) => ms > SLACK_MS && ms > FACTOR * (usual.get(id) ?? 0));
}
