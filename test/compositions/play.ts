// Plays a composition in real engines on a store in memory: from its start to its end, or to the death of its process and
// then, in another engine, to its end.

import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CadreDefinition } from '../../src/definition/definition.ts';
import { cadreFromTexts } from '../../src/definition/load.ts';
import { type RunRequest } from '../../src/engine/contract.ts';
import { openEngine } from '../../src/engine/open.ts';
import { readAll } from '../../src/engine/pinned.ts';
import type { RunEvent } from '../../src/journal/event.ts';
import type { RunStore } from '../../src/journal/store.ts';
import { FaultError } from '../../src/kernel/fault.ts';
import { type RunOutcome, runOutcome } from '../../src/kernel/outcome.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { type Composition, type Interruption, MESSAGES, type RequestPlan } from './composition.ts';
import { ENTRY, filesOf } from './folder.ts';
import { mortalStore } from './mortal-store.ts';
import { openWorld, PICTURE, PICTURE_BYTES, type World } from './world.ts';

const FOLDER = dirname(fileURLToPath(import.meta.url));

/** The folder as it is checked and run; undefined if the check finds an error. */
export function checkedCadre({ agents }: Composition): CadreDefinition | undefined {
  const { providers, tools } = openWorld({ seed: 0, failures: 0, schedule: 0 });
  const knownTools = tools.map(({ spec }) => spec.name);
  try {
    const cadre = cadreFromTexts(FOLDER, filesOf(agents), { knownTools, knownProviders: Object.keys(providers) });
    return cadre.faulty === undefined ? cadre : undefined;
  } catch (thrown) {
    if (thrown instanceof FaultError && thrown.fault.code === 'agent/invalid') return undefined;
    throw thrown;
  }
}

export interface Played {
  readonly outcome: RunOutcome;
  readonly events: readonly RunEvent[];
  readonly store: RunStore;
  readonly world: World;
}

/** The time that a run may take that waits for nothing: longer is for ever. */
const FOR_EVER_MS = 25_000;

/** Time stands still, so that what a run says of times is the same each time. */
const stillStore = (): RunStore => ({ ...memoryStore(), now: () => 1_800_000_000_000 });

/** One process of a run, after others that died. */
export interface Life extends Played {
  /** The events that the processes before it left, and the number that each of them wrote. */
  readonly left: readonly RunEvent[];
  readonly deaths: readonly number[];
  readonly worldsBefore: readonly World[];
}

/** A run in processes that die after so many events each, and the last one, which ends it. */
export async function play(
  composition: Composition,
  cadre: CadreDefinition,
  deaths: readonly number[] = [],
): Promise<Life> {
  const store = stillStore();
  const died: number[] = [];
  const worldsBefore: World[] = [];
  for (let index = 0; ; index++) {
    const world = openWorld(composition.world);
    const left = index === 0 ? [] : await readAll(await store.find('last'), store);
    const end = left.at(-1);
    if (end?.type === 'run-end')
      // it died with nothing left to do
      return { outcome: runOutcome(end.outcome), events: left, store, world, left, deaths: died, worldsBefore };
    const life = deaths[index];
    const ending = live(composition, cadre, world, { store, life, isFirst: index === 0 });
    const outcome = await inTime(ending);
    if (outcome !== 'died') {
      const events = await readAll(await store.find('last'), store);
      return { outcome, events, store, world, left, deaths: died, worldsBefore };
    }
    died.push(life ?? 0);
    worldsBefore.push(world);
  }
}

interface LifeParts {
  readonly store: RunStore;
  /** The number of events that it writes before it dies. Absent: it does not die. */
  readonly life: number | undefined;
  readonly isFirst: boolean;
}

async function live(
  { interruptions, request }: Composition,
  cadre: CadreDefinition,
  world: World,
  { store, life = Number.POSITIVE_INFINITY, isFirst }: LifeParts,
): Promise<RunOutcome | 'died'> {
  let die = (): void => {};
  const death = new Promise<'died'>((died) => {
    die = () => {
      world.end();
      died('died');
    };
  });
  const work = async (): Promise<RunOutcome> => {
    const engine = await engineIn(world, mortalStore(store, life, die), cadre);
    const run = isFirst ? await engine.start(await requestTo(cadre, request, store)) : await store.find('last');
    if (!isFirst) await engine.resume(run, { takeOver: true });
    interruptions.forEach((one, index) => interrupt(engine, run, one, index));
    const outcome = await engine.outcome(run);
    await engine.close();
    return outcome;
  };
  return Promise.race([death, work()]);
}

async function requestTo(
  cadre: CadreDefinition,
  { json, history, picture }: RequestPlan,
  store: RunStore,
): Promise<RunRequest> {
  const data = { order: '17', amount: 3 };
  const isJson = cadre.agents.get(ENTRY)?.input.format === 'json';
  const input = isJson ? { text: JSON.stringify(data), data } : { text: 'Order 17 is broken.' };
  const files = picture && takesPictures(cadre) ? [{ ...PICTURE, digest: await store.blobs.put(PICTURE_BYTES) }] : [];
  return {
    agent: ENTRY,
    input: { ...input, ...(history && { history: EARLIER }), ...(files.length > 0 && { files }) },
    ...(json && { contract: { format: 'json', schema: { type: 'object', required: ['order'] } } }),
  };
}

function takesPictures({ agents, config }: CadreDefinition): boolean {
  const { accepts, models = [] } = agents.get(ENTRY) ?? {};
  return accepts?.includes('image') ?? models.some((model) => config.models[model]?.sees?.includes('image') === true);
}

const EARLIER = [
  { role: 'user', text: 'Where is order 16?' },
  { role: 'assistant', text: 'It is on its way.' },
] as const;

const engineIn = ({ providers, tools, approve, warnings }: World, store: RunStore, cadre: CadreDefinition) =>
  openEngine(cadre, {
    store,
    providers,
    tools,
    approve,
    warn(text) {
      if (!text.includes('came after the last turn')) warnings.push(text);
    },
  });

type Opened = Awaited<ReturnType<typeof openEngine>>;

function interrupt(engine: Opened, run: string, { kind, after }: Interruption, index: number): void {
  const unwatch = engine.watch(run, {
    event({ seq }) {
      if (seq < after) return;
      unwatch();
      void engine.control(run, { id: `m${index}`, ...MESSAGES[kind] }).catch(unlessEnded);
    },
  });
}

function unlessEnded(thrown: unknown): void {
  if (!(thrown instanceof FaultError && thrown.fault.code === 'run/finished')) throw thrown;
}

async function inTime<Value>(work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the run hangs')), FOR_EVER_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
