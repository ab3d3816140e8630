// The engine of one machine: runs live in this process, and in a store that outlives it.

import { CONFIG_FILE } from '../agents/config.ts';
import { cadreFromTexts, type LoadOptions } from '../agents/load.ts';
import type { CadreDefinition } from '../agents/definition.ts';
import { type Digest, EVENT_VERSION, type RunEvent, type RunId, type RunStart } from '../journal/event.ts';
import { openJournal } from '../journal/journal.ts';
import type { RunLease, RunStore } from '../journal/store.ts';
import type { ControlMessage } from '../kernel/control.ts';
import { fail, FaultError, faultOf } from '../kernel/fault.ts';
import type { RunOutcome } from '../kernel/outcome.ts';
import type { Services } from '../kernel/session.ts';
import type { SpawnId } from '../kernel/spawned.ts';
import type { TeamStrategy } from '../patterns/team/strategy.ts';
import { cancelledBy, Stop } from '../world/abort.ts';
import { redactedValue } from '../world/redacted.ts';
import type { Outside } from '../world/yard/outside.ts';
import type { Approver, Assembly } from './assembly.ts';
import { soon } from './beginning.ts';
import { type Bus, openBus, type Watcher } from './bus.ts';
import type { Engine, RunHandle, RunRequest } from './engine.ts';
import { execute } from './execute.ts';
import { factsOf } from './agent-facts.ts';
import { leaves } from './leaves.ts';
import { withSecretsOfToday } from './redacted-cadre.ts';
import { startOf } from './replay.ts';
import { type Attendance, type Mailbox, type MailReader, mailReader } from './mailbox.ts';
import { outsideRuns } from './outside-runs.ts';
import { newRunId } from './run-id.ts';
import { openRunState, recordable, type RunState } from './run-state.ts';

/** Rises when the same record would lead a program elsewhere. */
export const KERNEL_REVISION = 2;

export interface LocalParts {
  readonly store: RunStore;
  readonly services: Services;
  readonly approve: Approver;
  /** Puts models and tools around a cadre. Called once for the cadre at hand, and for each resumed run's own. */
  assemble(cadre: CadreDefinition): Assembly;
  /** The cadre of a run that is taken up again, from the texts it pinned. */
  pinned(start: RunStart): Promise<CadreDefinition>;
  /** How teams work together, where it is not in cycles. */
  readonly strategy?: TeamStrategy;
  /** Watches every run from its first event on; `recorded` is what happened in it before. */
  observe?(run: RunId, recorded: readonly RunEvent[]): Watcher;
  /** Where other processes leave letters for a run. */
  readonly mailbox?: Mailbox;
  /** Told of a watcher that failed. */
  warn(text: string): void;
  now(): number;
}

export interface LocalEngine extends Engine {
  readonly assembly: Assembly;
  /** Writes a run down without working on it: whoever resumes it does. */
  prepare(request: RunRequest): Promise<RunId>;
}

export function localEngine(cadre: CadreDefinition, parts: LocalParts): LocalEngine {
  const assembly = parts.assemble(cadre);
  const others: Assembly[] = [];
  const outside = outsideRuns(parts.store);
  const mail = parts.mailbox && mailReader(parts.mailbox);
  let texts: Readonly<Record<string, Digest>> | undefined;
  const begin = async (request: RunRequest): Promise<Omit<RunStart, 'seq' | 'at'>> => {
    if (!cadre.agents.has(request.agent)) fail('agent/unknown', `There is no agent ${request.agent}.`);
    texts ??= await pinTexts(assembly.cadre, parts.store);
    const asked = assembly.secrets === undefined ? request : redactedValue(request, assembly.secrets);
    return runStart(newRunId(parts.now()), asked, cadre, texts);
  };
  return {
    assembly,
    async start(request) {
      const ready = assembly.ready?.(request.agent);
      if (ready !== undefined) await ready;
      const start = await begin(request);
      const lease = await parts.store.claim(start.run, 0);
      return launch({ start, recorded: NOTHING, lease, assembly, outside, mail }, parts);
    },
    async prepare(request) {
      const start = await begin(request);
      const lease = await parts.store.claim(start.run, 0);
      try {
        await lease.append([{ seq: 0, at: parts.now(), ...start }]);
      } finally {
        await lease.release();
      }
      return start.run;
    },
    async resume(run, { takeOver = false } = {}) {
      if (takeOver) await takeOverUnended(run, parts.store);
      const recorded = await readAll(run, parts.store);
      const start = startOf(recorded);
      if (recorded.at(-1)?.type === 'run-end')
        fail('run/finished', `Run ${run} has ended. See it with: cadre show ${run}`);
      if (start.kernel !== KERNEL_REVISION) parts.warn(olderKernel(start));
      const own = parts.assemble(await parts.pinned(start));
      others.push(own);
      const lease = await parts.store.claim(run, recorded.length);
      return launch({ start, recorded, lease, assembly: own, outside, mail }, parts);
    },
    async close() {
      await Promise.all([assembly, ...others].map((one) => one.close()));
    },
  };
}

const olderKernel = ({ run, kernel }: RunStart): string =>
  `Run ${run} was begun by another release (kernel revision ${kernel}, this one has ${KERNEL_REVISION}). It goes on as ` +
  'long as both take the same way; where they part, it stops with journal/divergence and nothing is lost.';

const NOTHING: readonly RunEvent[] = [];
const NOTHING_SPENT = { usd: 0, tokens: 0 };

/** A run that has ended has nobody to be fenced out, and is refused as every ended run is. */
async function takeOverUnended(run: RunId, store: RunStore): Promise<void> {
  const recorded = await readAll(run, store);
  if (recorded.at(-1)?.type !== 'run-end') await store.takeOver(run);
}

export async function readAll(run: RunId, store: RunStore): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of store.read(run)) events.push(event);
  return events;
}

/** The cadre as it was when the run began, from the texts that the run pinned. */
export async function pinnedCadre(
  start: RunStart,
  store: RunStore,
  options: LoadOptions = {},
): Promise<CadreDefinition> {
  const texts = new Map<string, string>();
  for (const [file, digest] of Object.entries(start.texts)) {
    const bytes = await store.blobs.get(digest);
    if (bytes === undefined)
      fail('journal/corrupt', `The text of ${file} (${digest}) that run ${start.run} used is gone.`);
    const text = new TextDecoder().decode(bytes);
    texts.set(file, file === CONFIG_FILE ? await withSecretsOfToday(text, start.folder, file) : text);
  }
  return cadreFromTexts(start.folder, texts, options);
}

export async function pinTexts(cadre: CadreDefinition, store: RunStore): Promise<Readonly<Record<string, Digest>>> {
  const encoder = new TextEncoder();
  const pins = [...cadre.texts].map(
    async ([file, text]) => [file, await store.blobs.put(encoder.encode(text))] as const,
  );
  return Object.fromEntries(await Promise.all(pins));
}

function runStart(
  run: RunId,
  request: RunRequest,
  cadre: CadreDefinition,
  texts: Readonly<Record<string, Digest>>,
): Omit<RunStart, 'seq' | 'at'> {
  const { agent, input, contract, stopAfter, label, after } = request;
  const { folder } = cadre;
  return {
    type: 'run-start',
    version: EVENT_VERSION,
    kernel: KERNEL_REVISION,
    run,
    agent,
    input,
    ...(contract && { contract }),
    ...(stopAfter !== undefined && { stopAfter }),
    ...(label !== undefined && { label }),
    ...(after && { after }),
    folder,
    texts,
  };
}

interface Launch {
  readonly start: Omit<RunStart, 'seq' | 'at'>;
  readonly recorded: readonly RunEvent[];
  readonly lease: RunLease;
  readonly assembly: Assembly;
  readonly outside: Outside;
  readonly mail: MailReader | undefined;
}

/** What reaches into a run while it works. Whoever keeps the handle of a run that has ended keeps no more than this. */
interface Reach {
  readonly bus: Bus;
  readonly state: RunState;
  readonly stop: Stop;
  /** Aborted when a final answer is asked for. */
  readonly graceful: Stop;
  readonly letters: Attendance | undefined;
}

function launch(begun: Launch, parts: LocalParts): RunHandle {
  const { start, recorded, assembly, outside, mail } = begun;
  const { run } = start;
  const { store, now } = parts;
  const clean = (text: string): string => assembly.secrets?.redact(text) ?? text;
  const bus = openBus((thrown) =>
    parts.warn(clean(`A watcher of run ${run} failed and was dropped: ${String(thrown)}`)),
  );
  if (parts.observe !== undefined) bus.watch(parts.observe(run, recorded));
  const stop = new Stop();
  const graceful = new Stop();
  const state = openRunState({ run, cadre: assembly.cadre, recorded, stop, graceful, outside, now });

  let isOver = false;
  /** False where nobody is there any more who could take it. */
  const isTaken = (message: ControlMessage): boolean => {
    if (isOver || state.refusal(message) !== undefined) return false;
    // It has no place in the journal: it holds as long as this process does.
    state.add({ type: 'control', seq: -1, at: now(), message: recordable(message, assembly.secrets) });
    return true;
  };
  const target = (id: SpawnId): { readonly to?: SpawnId } => (id === run ? {} : { to: id });
  /** The run itself, or one that it spawned. */
  const cancel = (id: SpawnId, reason: string): void => {
    isTaken({ kind: 'cancel', id: newRunId(now()), ...target(id), reason });
  };
  const isSent = (id: SpawnId, text: string): boolean =>
    isTaken({ kind: 'send', id: newRunId(now()), ...target(id), text });
  /** Sessions are asked for their final answer, and no spawned run begins. */
  const finishUp = (reason: string): void => {
    state.inboxes.stop(clean(reason));
    state.yard.stop(clean(reason));
    graceful.abort(cancelledBy(clean(reason)));
  };
  const send = (id: SpawnId, text: string): void => {
    if (!isSent(id, text)) parts.warn(clean(`A message to ${id} was not delivered: it has ended.`));
  };
  const letters = mail?.attend(run, { cancel, send });
  const outcome = work(begun, { bus, state, stop, graceful, letters }, parts);
  const over = (): void => {
    isOver = true;
  };
  outcome.then(over, over); // a failure is reported to whoever asks for the outcome
  return {
    run,
    events: () => eventsOf(run, store, bus, outcome),
    watch: (watcher) => bus.watch(watcher),
    outcome: () => outcome,
    stop: finishUp,
    cancel: (reason) => cancel(run, reason),
    send(text) {
      if (!isSent(run, text)) fail('run/finished', `Run ${run} has ended, so the message was not delivered.`);
    },
  };
}

async function work(
  { start, recorded, lease, assembly }: Launch,
  { bus, state, stop, graceful, letters }: Reach,
  { store, services, approve, strategy, now }: LocalParts,
): Promise<RunOutcome> {
  await new Promise<void>(soon); // whoever started the run gets the chance to watch its first event
  const journal = openJournal(lease, {
    recorded,
    now,
    observe: bus.event,
    failed: (thrown) => stop.abort(new FaultError(faultOf(thrown))), // what is under way cannot be recorded any more
  });
  journal.append(recorded.length === 0 ? start : { type: 'run-resume', version: EVENT_VERSION });
  const { run, kernel, models } = start;
  const { cadre, secrets } = assembly;
  const { inboxes, yard, offers, spent } = state;
  try {
    return await execute(start, {
      cadre,
      services,
      journal,
      state,
      leaves: leaves({
        run,
        kernel,
        assembly,
        store,
        journal,
        bus,
        inboxes,
        yard,
        offers,
        graceful,
        models,
        approve,
        now,
      }),
      launching: yard,
      signal: stop,
      graceful,
      given() {
        const context = letters?.context();
        return secrets === undefined ? context : redactedValue(context, secrets);
      },
      facts: (agent, signal) => factsOf(agent, assembly, signal),
      spentBelow: (path) => spent?.below(path) ?? NOTHING_SPENT,
      strategy,
      now,
    });
  } finally {
    letters?.close();
    await lease.release();
  }
}

/** What is stored already, then what comes, each event once. */
async function* eventsOf(run: RunId, store: RunStore, bus: Bus, outcome: Promise<unknown>): AsyncGenerator<RunEvent> {
  const queue: RunEvent[] = [];
  let wake = (): void => {};
  let over = false;
  const end = (): void => {
    over = true;
    wake();
  };
  const unwatch = bus.watch({
    event(event) {
      queue.push(event);
      wake();
    },
  });
  outcome.then(end, end);
  try {
    let next = 0;
    for await (const event of store.read(run)) {
      next = event.seq + 1;
      yield event;
    }
    for (;;) {
      const event = queue.shift();
      if (event !== undefined) {
        if (event.seq >= next) yield event;
      } else if (over) {
        return;
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    unwatch();
  }
}
