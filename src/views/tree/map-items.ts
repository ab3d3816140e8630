// The items of a run's maps: how many of a list have begun, and how they ended.
// ITEMS-1. They are counted from the ops with the trigger `each`: where a chain follows, the outcome is its last stage's.

import type { OpEnd, OpStart, RunEvent } from '../../journal/event.ts';
import { isAnswered, type Outcome } from '../../kernel/outcome.ts';
import { type OpPath, parentPath, ROOT } from '../../kernel/path.ts';
import type { Lineage } from '../lineage.ts';
import type { ItemCounts } from '../step-words.ts';

/** The latest map of one agent. */
interface GoingMap {
  /** The op below which its items run. */
  readonly list: OpPath;
  readonly place: OpPath;
  readonly counts: { -readonly [Name in keyof ItemCounts]: number };
}

/** Tells the counts of the agent at a place after each change. `runs` has been given the event already. */
export class MapItems {
  readonly #tell: (place: OpPath, items: ItemCounts) => void;
  readonly #runs: Lineage;
  readonly #maps = new Map<OpPath, GoingMap>();
  /** Items at work, by their ops. */
  readonly #atWork = new Map<OpPath, GoingMap>();

  constructor(tell: (place: OpPath, items: ItemCounts) => void, runs: Lineage) {
    this.#tell = tell;
    this.#runs = runs;
  }

  add(event: RunEvent): void {
    if (event.type === 'op-start') this.#begin(event);
    else if (event.type === 'op-end') this.#end(event);
  }

  #begin({ path, op }: OpStart): void {
    if (op.kind !== 'run' || op.trigger.kind !== 'each' || this.#atWork.has(path)) return;
    const list = parentPath(parentPath(path) ?? '') ?? ROOT;
    const place = this.#runs.above(path)?.path ?? ROOT;
    const known = this.#maps.get(place);
    const counts = { count: op.trigger.count ?? 0, answered: 0, failed: 0, atWork: 0 };
    const map = known?.list === list ? known : { list, place, counts };
    this.#maps.set(place, map);
    this.#atWork.set(path, map);
    map.counts.atWork++;
    this.#tell(place, { ...map.counts });
  }

  #end({ path, result }: OpEnd): void {
    const map = this.#atWork.get(path);
    if (map === undefined) return;
    this.#atWork.delete(path);
    map.counts.atWork--;
    const outcome = result.ok ? (result.value as Outcome) : undefined;
    if (outcome !== undefined && isAnswered(outcome)) map.counts.answered++;
    else if (outcome?.kind !== 'cancelled') map.counts.failed++;
    this.#tell(map.place, { ...map.counts });
  }
}
