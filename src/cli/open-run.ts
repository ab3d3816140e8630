// The surroundings of a command that runs a cadre: the store, the engine, the view, a person's yes.

import type { CadreDefinition } from '../definition/definition.ts';
import type { Engine } from '../engine/engine.ts';
import { whyQueued } from '../engine/fleet/queued.ts';
import { openEngine, workedBy } from '../engine/open.ts';
import type { RunStore } from '../journal/store.ts';
import { type WorkspaceOptions, workspaceFrom } from './lookup/workspace.ts';
import type { Elsewhere } from './person/answer-elsewhere.ts';
import { approver, isYesBeforehand } from './person/approvals.ts';
import { approvedBeforehand } from './person/approved-beforehand.ts';
import { paintFor, progressPlace } from './screen/terminal.ts';
import { turnsOf } from './view/turns-of.ts';
import { jsonView, lineView, silentView, type View } from './view/view.ts';

export interface RunViewOptions extends WorkspaceOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  /** `true` for yes to all. */
  readonly approve?: readonly (string | true)[];
  /** The current view, for a command that follows several runs. Absent: one view for the one run. */
  readonly view?: () => View;
}

export interface OpenedStore {
  readonly store: RunStore;
  /** Its folder, if it has one. */
  readonly dir: string | undefined;
}

export interface OpenRun {
  readonly engine: Engine;
  readonly view: View;
  /** Answers what a run waits for that a worker works on. Absent for one that this process works on. */
  readonly elsewhere?: Elsewhere;
  /** Script steps that were not used, for people who write scripts and ask for it. */
  unusedSteps(): string | undefined;
}

export async function openRun(
  cadre: CadreDefinition,
  { store, dir }: OpenedStore,
  options: RunViewOptions,
): Promise<OpenRun> {
  const workspace = workspaceFrom(options);
  const view = options.view?.() ?? (await viewFor(cadre, options));
  const atHand = options.view ?? (() => view);
  const beforehand = approvedBeforehand(options.approve, cadre);
  const canAsk = options.json !== true && process.stdin.isTTY === true && process.stderr.isTTY === true;
  const approve = approver(
    beforehand,
    () => ({ canAsk, alone: atHand().alone, notice: atHand().notice }),
    async (wanted, signal) => {
      const { signInForRun } = await import('./person/sign-in-here.ts');
      await signInForRun(wanted, { cadre, store, engine, signal });
    },
  );
  const warn = (text: string): void => atHand().notice(text);
  const engine = await openEngine(cadre, { store, dir, approve, workspace, warn });
  return {
    engine,
    view,
    ...(workedBy(store) === 'workers' && {
      elsewhere: {
        approve,
        isAnswered: (about) => canAsk || isYesBeforehand(beforehand, about),
        summary: (run) => engine.summary(run),
        queuedWhy: async (summary) => (await whyQueued([summary], store)).get(summary.run),
      },
    }),
    unusedSteps: () => (options.verbose === true ? unusedText(engine.unusedSteps()) : undefined),
  };
}

/** `writing` is the number of rows that show the text which is being written. Default: the usual few. */
export async function viewFor(
  cadre: CadreDefinition,
  options: Pick<RunViewOptions, 'json' | 'quiet'>,
  writing?: number,
): Promise<View> {
  if (options.json === true) return jsonView();
  const { mode, stream } = progressPlace();
  if (options.quiet === true || mode === 'none') return silentView();
  if (mode === 'lines') return lineView(stream);
  const { liveView } = await import('./view/live-view.ts');
  return liveView(stream, {
    paint: paintFor(stream),
    maxTurns: (session) => turnsOf(session, cadre),
    ...(writing !== undefined && { writing }),
  });
}

const unusedText = (unused: readonly string[]): string | undefined =>
  unused.length === 0 ? undefined : `unused script steps: ${unused.join(', ')}`;
