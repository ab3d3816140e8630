// Replay: runs the kernel on the recorded answers, with no network, no tokens and no clock. It says that the run is
// identical, or where it first differs.

import type { CadreDefinition } from '../../definition/definition.ts';
import type { RunEvent } from '../../journal/event.ts';
import { divergenceOf, EndOfRecord, isEndOfRecord, replayJournal } from '../../journal/replay-journal.ts';
import { refuseEarlierHelpers } from '../../journal/second-version.ts';
import type { RunStore } from '../../journal/store.ts';
import type { ModelRequest } from '../../kernel/effect.ts';
import { fail } from '../../kernel/fault.ts';
import type { OpPath } from '../../kernel/path.ts';
import type { Services } from '../../kernel/session/session-spec.ts';
import type { TeamStrategy } from '../../patterns/team-strategy.ts';
import { type DrivenRun, onModels } from '../../run/driven-run.ts';
import { execute } from '../../run/execute.ts';
import { NO_HOST } from '../../run/host-program.ts';
import { Stop } from '../../world/abort.ts';
import type { World } from '../../world/world.ts';

export interface Difference {
  readonly path?: string;
  readonly message: string;
  readonly recorded?: unknown;
  readonly now?: unknown;
}

export type Replay =
  | { readonly kind: 'identical'; readonly events: number; readonly ended: boolean }
  | { readonly kind: 'different'; readonly difference: Difference };

export async function replay(
  events: readonly RunEvent[],
  cadre: CadreDefinition,
  services: Services,
  {
    strategy,
    store,
    asked,
  }: {
    readonly strategy?: TeamStrategy | undefined;
    /** The store of the run. Not needed for a run whose agents were given no files. */
    readonly store?: { readonly blobs: Pick<RunStore['blobs'], 'get'> } | undefined;
    /** Gets each request to a model, with the path of its op. */
    readonly asked?: (request: ModelRequest, path: OpPath) => void;
  } = {},
): Promise<Replay> {
  refuseEarlierHelpers(events);
  const journal = replayJournal(events);
  const { start, end } = journal;
  if (start === undefined) return fail('journal/corrupt', 'The journal does not begin with run-start.');
  try {
    const replayed: DrivenRun = {
      start,
      definition: onModels(cadre, start.models),
      environment: { services, host: { ...NO_HOST, strategy }, now: () => start.at },
      journal,
      signal: new Stop(),
      textOf: async (digest) => {
        const bytes = await store?.blobs.get(digest);
        return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
      },
      facts: async () => fail('journal/divergence', 'The record does not hold the facts of this agent.'),
      ...(asked && { asked }),
    };
    const outcome = await execute(replayed, nothingLive(end !== undefined));
    const unasked = journal.unasked()[0];
    if (unasked !== undefined)
      return different({ path: unasked, message: `Recorded op ${unasked} was never asked for.` });
    if (end !== undefined && JSON.stringify(end.outcome) !== JSON.stringify(outcome)) {
      return different({ message: 'The run does not end as was recorded.', recorded: end.outcome, now: outcome });
    }
    return { kind: 'identical', events: events.length, ended: end !== undefined };
  } catch (thrown) {
    if (isEndOfRecord(thrown)) return { kind: 'identical', events: events.length, ended: false };
    const divergence = divergenceOf(thrown);
    if (divergence === undefined) throw thrown;
    return different({ message: divergence.fault.message, ...divergence.fault.details });
  }
}

const different = (difference: Difference): Replay => ({ kind: 'different', difference });

/** An op that is asked for and not recorded is a difference. In a run that broke off it is where the run stopped. */
const nothingLive = (ended: boolean): World => ({
  perform(effect) {
    if (!ended) throw new EndOfRecord();
    return fail('journal/divergence', `The record holds no answer to a ${effect.kind} request.`);
  },
});
