// What a command needs around a cadre to run it: the store, the engine, the view, a person's yes.

import type { CadreDefinition } from '../agents/definition.ts';
import { assemble } from '../engine/assemble.ts';
import type { Assembly } from '../engine/assembly.ts';
import type { Engine } from '../engine/engine.ts';
import { localEngine, pinnedCadre } from '../engine/local.ts';
import { fileMailbox } from '../engine/mailbox.ts';
import { services } from '../engine/services.ts';
import type { RunStore } from '../journal/store.ts';
import { telemetryFor } from '../telemetry/for-cadre.ts';
import { approver } from './approvals.ts';
import { approvedBeforehand } from './approved-beforehand.ts';
import { tell } from './out.ts';
import { paintFor, progressPlace } from './terminal.ts';
import { turnsOf } from './turns-of.ts';
import { jsonView, lineView, silentView, type View } from './view.ts';

export interface RunOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  /** `true` for yes to all. */
  readonly approve?: readonly (string | true)[];
  /** The view at hand, where a command follows several runs. Absent: one view for the one run. */
  readonly view?: () => View;
}

export interface OpenedStore {
  readonly store: RunStore;
  /** Its folder, where letters to its runs lie too. */
  readonly dir: string;
}

export interface OpenRun {
  readonly engine: Engine;
  readonly view: View;
  /** For an end at once: sends what can be sent in a moment. */
  leaving(): Promise<void>;
  /** Script steps that nobody used, for those who write scripts and ask for it. */
  unusedSteps(): string | undefined;
}

export async function openRun(
  cadre: CadreDefinition,
  { store, dir }: OpenedStore,
  options: RunOptions,
): Promise<OpenRun> {
  const view = options.view?.() ?? (await viewFor(cadre, options));
  const atHand = options.view ?? (() => view);
  const approve = approver(approvedBeforehand(options.approve, cadre), () => ({
    canAsk: options.json !== true && process.stdin.isTTY === true && process.stderr.isTTY === true,
    run: atHand(),
    alone: atHand().alone,
    notice: atHand().notice,
  }));
  let latest: Assembly | undefined;
  const warnings: string[] = [];
  const telemetry = await telemetryFor(cadre, (text) => warnings.push(text));
  const engine = localEngine(cadre, {
    store,
    services,
    approve,
    assemble: (one) => (latest = assemble(one, { store: dir })),
    pinned: (start) => pinnedCadre(start, store),
    warn: (text) => atHand().notice(text),
    mailbox: fileMailbox(dir, (text) => atHand().notice(text)),
    ...(telemetry && { observe: telemetry.watch }),
    now: Date.now,
  });
  return {
    engine: {
      ...engine,
      async close() {
        await engine.close();
        await telemetry?.close();
        for (const text of warnings.splice(0)) tell(text);
      },
    },
    view,
    leaving: async () => telemetry?.flush(),
    unusedSteps: () => (options.verbose === true ? unusedText(latest) : undefined),
  };
}

/** `writing` is how many rows of what is being written are shown, where it is not the usual few. */
export async function viewFor(cadre: CadreDefinition, options: RunOptions, writing?: number): Promise<View> {
  if (options.json === true) return jsonView();
  const { mode, stream } = progressPlace();
  if (options.quiet === true || mode === 'none') return silentView();
  if (mode === 'lines') return lineView(stream);
  const { liveView } = await import('./live-view.ts');
  return liveView(stream, {
    paint: paintFor(stream),
    maxTurns: (session) => turnsOf(session, cadre),
    ...(writing !== undefined && { writing }),
  });
}

function unusedText(assembly: Assembly | undefined): string | undefined {
  const unused = assembly?.unusedSteps() ?? [];
  return unused.length === 0 ? undefined : `unused script steps: ${unused.join(', ')}`;
}
