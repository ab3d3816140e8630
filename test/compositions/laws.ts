// The laws of every composition. Each law throws an error that says what broke.
// LAW-1. No run ends in a defect, and none hangs. Every spawned run is announced, once. No record has the bytes of a picture.
// LAW-2. Every model call is in the ledger, once, and no answer is paid for twice.
// LAW-3. No agent spends over its budget, and none makes more calls than `check --bound` says.
// LAW-4. A replay of the record is identical.
// LAW-5. Killed at any event and resumed, a run ends the same where nothing in it is a race; in any case it makes again
//     only what was in doubt, and no call that must not be repeated.
// LAW-6. No call is made that a rule denies.

import { cadreBounds } from '../../src/definition/check/known-window.ts';
import type { CadreDefinition } from '../../src/definition/definition.ts';
import { replay } from '../../src/engine/history/replay.ts';
import type { RunEvent } from '../../src/journal/event.ts';
import type { EffectValues } from '../../src/kernel/effect.ts';
import { isWithin, type OpPath } from '../../src/kernel/path.ts';
import { services } from '../../src/run/services.ts';
import { type LedgerLine, ledger } from '../../src/views/costs/ledger.ts';
import { opTree } from '../../src/views/tree/op-tree.ts';
import { type Composition, isRace } from './composition.ts';
import { ENTRY, isDenied } from './folder.ts';
import { type Life, type Played, play } from './play.ts';
import { PICTURE_BYTES } from './world.ts';

/** Plays a composition in every way, and holds it to the laws. */
export async function obeysLaws(composition: Composition, cadre: CadreDefinition): Promise<readonly RunEvent[]> {
  const whole = await play(composition, cadre);
  await holds(whole, cadre);
  staysWithinBound(whole.events, cadre);
  const resumed = await play(composition, cadre, deathsIn(composition, whole.events.length));
  await holds(resumed, cadre);
  if (!isRace(composition, cadre)) same('the outcome after a resume', resumed.outcome, whole.outcome);
  return whole.events;
}

async function holds(life: Life, cadre: CadreDefinition): Promise<void> {
  endsWell(life);
  goesOn(life);
  staysWithinBudgets(life.events, cadre);
  obeysRules(life.events, cadre);
  const result = await replay(life.events, cadre, services, { store: life.store });
  law(result.kind === 'identical' && result.ended, `the replay: ${JSON.stringify(result).slice(0, 2000)}`); // LAW-4
}

/** The number of events that each process writes before it dies. */
function deathsIn({ deaths }: Composition, events: number): readonly number[] {
  let left = events - 1;
  const lives: number[] = [];
  for (const share of deaths) {
    if (left < 1) break;
    const life = 1 + Math.floor((share / 1000) * left);
    lives.push(life);
    left -= life;
  }
  return lives;
}

const lines = (events: readonly RunEvent[]): readonly LedgerLine[] => ledger(events).lines;

function law(holds: boolean, broken: string): void {
  if (!holds) throw new Error(broken);
}

function same(what: string, one: unknown, other: unknown): void {
  const [left, right] = [JSON.stringify(one), JSON.stringify(other)];
  law(left === right, `${what} is not the same:\n  ${left}\n  ${right}`);
}

/** LAW-1 */
function endsWell({ events, world }: Played): void {
  const ends = events.filter(({ type }) => type === 'run-end');
  law(ends.length === 1 && events.at(-1)?.type === 'run-end', `the run has ${ends.length} ends`);
  const defect = events.find((event) => /"code":"(?:internal|journal\/[a-z-]+)"/.test(JSON.stringify(event)));
  law(defect === undefined, `a defect: ${JSON.stringify(defect)?.slice(0, 2000)}`);
  const picture = PICTURE_BYTES.toString('base64');
  law(!events.some((event) => JSON.stringify(event).includes(picture)), 'the record has the bytes of a picture');
  law(world.warnings.length === 0, `a warning: ${world.warnings.join('\n')}`);
  same(
    'the runs that were announced, and those that were spawned',
    spawned(events, 'announce'),
    spawned(events, 'spawn'),
  );
  const open = new Set<OpPath>();
  for (const event of events) {
    if (event.type === 'op-start') open.add(event.path);
    if (event.type === 'op-end') open.delete(event.path);
  }
  law(open.size === 0, `ops that never ended: ${[...open].join(', ')}`);
}

/** The spawned runs that ops of this kind are about. */
function spawned(events: readonly RunEvent[], kind: 'announce' | 'spawn'): readonly string[] {
  return events
    .flatMap((event): readonly string[] => {
      if (event.type !== 'op' || event.kind !== kind) return [];
      if (kind === 'announce') return [(event.detail as { readonly run: string }).run];
      const { receipts } = event.value as EffectValues['spawn'];
      return receipts.flatMap((receipt) => (receipt.status === 'accepted' ? receipt.run : []));
    })
    .sort(inOrder);
}

const inOrder = (one: string, other: string): number => (one < other ? -1 : 1);

/** LAW-2. A call that was ended from above may have reached the provider or not. Calls of helper processes are made elsewhere. */
function countsCalls({ events }: Played, sent: number, written: readonly LedgerLine[]): void {
  const own = written.filter(({ model }) => !model.startsWith('helper/'));
  const certain = own.filter(({ fault = '', status }) => !FROM_ABOVE.has(fault) && status !== 'in-doubt').length;
  law(certain <= sent && sent <= own.length, `${sent} calls were sent, and the ledger has ${certain} to ${own.length}`);
  const { inclusive } = opTree(events);
  const usd = lines(events).reduce((sum, line) => sum + (line.usd ?? 0), 0);
  law(Math.abs((inclusive.usd ?? 0) - usd) < 1e-9, `the tree sums up to ${inclusive.usd}, the ledger to ${usd}`);
}

/** Faults of what was ended by a stop, a deadline or a budget of time. */
const FROM_ABOVE: ReadonlySet<string> = new Set(['cancelled', 'timeout', 'budget/exceeded']);

/** LAW-6 */
function obeysRules(events: readonly RunEvent[], { agents }: CadreDefinition): void {
  const denied = new Set<OpPath>();
  for (const event of events) {
    if (event.type === 'op-start' && event.op.kind === 'tool') {
      const { agent, call } = event.op;
      const deny = agents.get(agent)?.deny ?? [];
      const isWhole = deny.includes(call.name);
      if (isWhole || (deny.some((entry) => entry.startsWith('look(')) && isDenied(call))) denied.add(event.path);
    }
    if (event.type !== 'op-end' || !denied.has(event.path)) continue;
    law(!event.result.ok, `a call that is denied has a result: ${JSON.stringify(event)}`);
  }
}

/** LAW-3 */
function staysWithinBudgets(events: readonly RunEvent[], cadre: CadreDefinition): void {
  const all = lines(events);
  for (const [path, agent] of runsIn(events)) {
    const budget = cadre.agents.get(agent)?.budget; // a helper has no file
    if (budget === undefined) continue;
    const below = all.filter((line) => isWithin(line.path, path));
    const tokens = below.reduce((sum, { usage }) => sum + (usage?.input ?? 0) + (usage?.output ?? 0), 0);
    const usd = below.reduce((sum, line) => sum + (line.usd ?? 0), 0);
    const sessions = new Set(below.map(({ session }) => session)).size;
    const spent = `${agent} at ${path} spent ${tokens} tokens, ${usd} USD and ${sessions} sessions`;
    const isKept =
      tokens <= (budget.tokens ?? tokens) &&
      usd <= (budget.usd ?? usd) + 1e-9 &&
      sessions - 1 <= (budget.sessions ?? sessions);
    law(isKept, `${spent} of ${JSON.stringify(budget)}`);
  }
}

function runsIn(events: readonly RunEvent[]): ReadonlyMap<OpPath, string> {
  const runs = new Map<OpPath, string>([['0', ENTRY]]);
  for (const event of events)
    if (event.type === 'op-start' && event.op.kind === 'run') runs.set(event.path, event.op.agent);
  return runs;
}

/** LAW-3 */
function staysWithinBound(events: readonly RunEvent[], cadre: CadreDefinition): void {
  const bound = cadreBounds(cadre).get(ENTRY);
  if (bound?.kind !== 'bounded') throw new Error(`no bound: ${bound?.reason}`);
  const all = lines(events);
  const calls = new Set(all.map(({ path, turn }) => `${path} ${turn}`)).size;
  law(BigInt(calls) <= bound.calls, `${calls} model calls, and the bound is ${bound.calls}`);
  law(BigInt(all.length) <= bound.attempts, `${all.length} attempts, and the bound is ${bound.attempts}`);
}

/** LAW-2 and LAW-5 */
function goesOn({ left, deaths, worldsBefore, ...life }: Life): void {
  const { events, world } = life;
  const expected = deaths.reduce((sum, one) => sum + one, 0);
  law(left.length === expected, `the processes that died left ${left.length} events, not ${expected}`);
  same('what they left', events.slice(0, left.length), left);
  const [all, earlier] = [lines(events), lines(left)];
  const answered = all.filter(({ status }) => status === 'ok').map(({ path, turn }) => `${path} turn ${turn}`);
  law(new Set(answered).size === answered.length, `an op was answered twice: ${answered.join(', ')}`);
  same('the ledger of what they left', all.slice(0, earlier.length), earlier);
  countsCalls(life, world.calls.length, all.slice(earlier.length));
  const stamps = [...worldsBefore, world].map((one) => new Set(one.stamps));
  const twice = [...world.stamps].filter((key) => stamps.filter((made) => made.has(key)).length > 1);
  law(twice.length === 0, `a call that must not be repeated was made twice: ${twice.join(', ')}`);
}
