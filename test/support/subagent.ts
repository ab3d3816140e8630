// A folder with one agent that delegates, run on the scripted model: its parent asks `subagent` once and answers with
// what came back, so that a run's answer is the tool's output.

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { CadreDefinition } from '../../src/definition/definition.ts';
import { loadCadre } from '../../src/definition/load.ts';
import type { RunHandle } from '../../src/engine/contract.ts';
import { readAll } from '../../src/engine/pinned.ts';
import type { OpDetail, OpStart, RunEvent } from '../../src/journal/event.ts';
import type { RunStore } from '../../src/journal/store.ts';
import type { Outcome } from '../../src/kernel/outcome.ts';
import type { SubagentOutput } from '../../src/patterns/subagent/output.ts';
import { type Approver, nobodyThere } from '../../src/run/approver.ts';
import type { Command } from '../../src/run/own-command.ts';
import { openResources } from '../../src/run/resources/open-resources.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { engineOf } from './handled.ts';

export interface Story {
  /** Keys of `subagent:`. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** The arguments of the one call. */
  readonly input?: unknown;
  /** The steps of the helper, as a script has them. */
  readonly helper?: readonly unknown[];
  /** Steps of the parent instead of the usual two. */
  readonly parent?: readonly unknown[];
  readonly frontmatter?: string;
  /** Files of the workspace. */
  readonly files?: Readonly<Record<string, string>>;
  /** The text of cadre.yaml, where it is not the usual one. */
  readonly settings?: string;
  /** The value of `models:`. */
  readonly models?: string;
}

export interface Told {
  readonly cadre: CadreDefinition;
  readonly outcome: Outcome;
  readonly output: SubagentOutput;
  /** The text as the parent's model saw it. */
  readonly text: string;
  readonly events: readonly RunEvent[];
  readonly run: string;
}

export function writeStory(story: Story, runner: 'in-process' | 'subprocess'): string {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-subagent-'));
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const parent = story.parent ?? [
    { call: { subagent: story.input ?? { task: 'Count the lamps.' } } },
    { answer: '{{result.subagent}}' },
  ];
  put('cadre.yaml', story.settings ?? 'providers:\n  demo: {kind: scripted, script: ./demo.script.yaml}\n');
  put(
    'demo.script.yaml',
    JSON.stringify({ agents: { parent, 'parent/subagent': story.helper ?? [{ answer: 'ok' }] } }),
  );
  const config = JSON.stringify({ runner, ...story.config });
  const frontmatter = `description: Delegates.\nmodels: ${story.models ?? 'demo/any'}\n${story.frontmatter ?? ''}\nsubagent: ${config}`;
  put('parent.md', `---\n${frontmatter}\n---\nYou are the parent, and you know a secret word: xyzzy.\n`);
  for (const [path, text] of Object.entries(story.files ?? {})) put(path, text);
  return folder;
}

/** A folder in which `boss` delegates, and `parent` leads to it. */
export interface Place {
  /** Keys of these files. Without `parent`, `boss` is asked. */
  readonly parent?: Readonly<Record<string, unknown>>;
  readonly boss?: Readonly<Record<string, unknown>>;
  /** Keys of `subagent:`. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly runner?: 'in-process' | 'subprocess';
  /** The steps of the parent. */
  readonly steps?: readonly unknown[];
  /** The steps of the helper, instead of a look and a report. */
  readonly helper?: readonly unknown[];
  /** The ending of `boss`, instead of its helper's report. */
  readonly ending?: unknown;
  /** `limits` of cadre.yaml. */
  readonly limits?: object;
}

const LOOK_AND_REPORT = [{ call: { list_files: {} } }, { report: { summary: 'One.' } }];

function writePlace({
  parent,
  boss,
  config,
  runner = 'in-process',
  steps,
  helper,
  ending,
  limits = {},
}: Place): string {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-place-'));
  const write = (path: string, text: string): void => writeFileSync(join(folder, path), text);
  const file = (keys: object): string => {
    const lines = Object.entries({ models: 'demo/any', description: 'An agent.', ...keys });
    return `---\n${lines.map(([key, value]) => `${key}: ${JSON.stringify(value)}`).join('\n')}\n---\nYou help.\n`;
  };
  const delegating = [
    { call: { subagent: { task: 'Count.', files: ['a.txt'] } } },
    ending ?? { answer: '{{result.subagent}}' },
  ];
  write(
    'cadre.yaml',
    JSON.stringify({ providers: { demo: { kind: 'scripted', script: './demo.script.yaml' } }, limits }),
  );
  write('a.txt', 'one');
  write('boss.md', file({ ...boss, subagent: { runner, ...config } }));
  write('last.md', file({}));
  if (parent !== undefined) write('parent.md', file(parent));
  const agents = {
    boss: delegating,
    'boss/subagent': helper ?? LOOK_AND_REPORT,
    last: [{ answer: 'Last: {{input}}' }],
    ...(steps && { parent: steps }),
  };
  write('demo.script.yaml', JSON.stringify({ agents }));
  return folder;
}

interface PlaceOptions {
  /** The folder in which it was written before. */
  readonly folder?: string;
  readonly store?: RunStore;
  readonly worker?: Command;
}

const ID = '20261118-000000-0000001';

/** Its clock stands still and its run has one id, so that two journals can be compared. */
export async function openPlace(
  place: Place,
  options: PlaceOptions = {},
): Promise<Opened & { readonly folder: string }> {
  const { folder = writePlace(place), store = memoryStore(), worker } = options;
  const cadre = await loadCadre(folder);
  const engine = engineOf(cadre, {
    store,
    now: () => 1_795_000_000_000,
    openResources: (one) => openResources(one, worker === undefined ? {} : { helperCommand: worker }),
  });
  const agent = place.parent === undefined ? 'boss' : 'parent';
  return {
    folder,
    cadre,
    store,
    start: async () => engine.bare.handle(await engine.bare.start({ agent, input: { text: 'Go.' } }, { run: ID })),
    resume: (run) => engine.resume(run),
    close: () => engine.close(),
  };
}

export interface Opened {
  readonly cadre: CadreDefinition;
  readonly store: RunStore;
  start(): Promise<RunHandle>;
  resume(run: string): Promise<RunHandle>;
  close(): Promise<void>;
}

export async function open(
  folder: string,
  worker: Command | undefined,
  store = memoryStore(),
  approve: Approver = nobodyThere,
): Promise<Opened> {
  const cadre = await loadCadre(folder);
  const engine = engineOf(cadre, {
    store,
    approve,
    openResources: (one) => openResources(one, worker === undefined ? {} : { helperCommand: worker }),
  });
  return {
    cadre,
    store,
    start: () => engine.start({ agent: 'parent', input: { text: 'Go.' } }),
    resume: (run) => engine.resume(run),
    close: () => engine.close(),
  };
}

export async function tell(
  story: Story,
  runner: 'in-process' | 'subprocess',
  worker?: Command,
  approve?: Approver,
): Promise<Told> {
  const opened = await open(writeStory(story, runner), worker, memoryStore(), approve);
  const handle = await opened.start();
  const outcome = await handle.outcome();
  const events = await readAll(handle.run, opened.store);
  await opened.close();
  const text = 'text' in outcome ? outcome.text : JSON.stringify(outcome);
  return { cadre: opened.cadre, outcome, output: parsed(text), text, events, run: handle.run };
}

function parsed(text: string): SubagentOutput {
  try {
    return JSON.parse(text) as SubagentOutput;
  } catch {
    throw new Error(`the run's answer is no output of the tool: ${text}`);
  }
}

/** The same but for how long it took. */
export const timeless = (text: string): string => text.replace(/"duration_ms":\d+/, '"duration_ms":0');

/** True if a helper begins with this event. */
export const isHelperStart = (event: RunEvent): event is HelperStart =>
  event.type === 'op-start' && event.op.kind === 'run' && event.op.trigger.kind === 'subagent';

type HelperStart = OpStart & { readonly op: Extract<OpDetail, { readonly kind: 'run' }> };
