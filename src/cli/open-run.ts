// What a command needs around a cadre to run it: the store, the engine, the view, a person's yes.

import type { CadreDefinition } from '../agents/definition.ts';
import { assemble } from '../engine/assemble.ts';
import { localEngine } from '../engine/local.ts';
import { services } from '../engine/services.ts';
import type { RunStore } from '../journal/store.ts';
import { approver, type Beforehand } from './approvals.ts';
import { paintFor, progressPlace } from './terminal.ts';
import { jsonView, lineView, liveView, silentView, type View } from './view.ts';

export interface RunOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  /** `true` for yes to all. */
  readonly approve?: readonly (string | true)[];
}

export type OpenEngine = ReturnType<typeof localEngine>;

export interface OpenRun {
  readonly engine: OpenEngine;
  readonly view: View;
}

export function openRun(cadre: CadreDefinition, store: RunStore, options: RunOptions): OpenRun {
  const view = viewFor(cadre, options);
  const approve = approver(beforehand(options), () => ({
    canAsk: options.json !== true && process.stdin.isTTY === true && process.stderr.isTTY === true,
    alone: view.alone,
    notice: view.notice,
  }));
  const engine = localEngine(cadre, {
    store,
    services,
    approve,
    assemble: (one) => assemble(one),
    warn: view.notice,
    now: Date.now,
  });
  return { engine, view };
}

function viewFor(cadre: CadreDefinition, options: RunOptions): View {
  if (options.json === true) return jsonView(process.stdout, process.stderr);
  const { mode, stream } = progressPlace();
  if (options.quiet === true || mode === 'none') return silentView(process.stderr);
  if (mode === 'lines') return lineView(stream);
  return liveView(stream, {
    paint: paintFor(stream),
    maxTurns: (agent) => cadre.agents.get(agent)?.maxTurns,
  });
}

function beforehand({ approve = [] }: RunOptions): Beforehand {
  return approve.includes(true) ? true : approve.filter((one) => one !== true);
}

/** Script steps that nobody used, for those who write scripts. */
export function unusedSteps(engine: OpenEngine, options: RunOptions): string | undefined {
  if (options.verbose !== true) return undefined;
  const unused = engine.assembly.unusedSteps();
  return unused.length === 0 ? undefined : `unused script steps: ${unused.join(', ')}`;
}
