// The time between the last byte of a model's reply and its durable record. The model is a process of its own and notes
// when it wrote that byte; a file that is loaded before Cadre notes when the write to the store was done.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { built } from '../../support/dist.ts';
import type { Figure } from './figures.ts';

const MODEL = fileURLToPath(new URL('../fixtures/stamping-model.mjs', import.meta.url));
const STAMPS = fileURLToPath(new URL('../fixtures/record-stamps.mjs', import.meta.url));

type Stamps = readonly (readonly [reply: string, nanoseconds: number])[];

export interface StampingModel {
  readonly url: string;
  /** A folder with a lead and two others whose replies come from here. */
  readonly folder: string;
  replies(): Promise<Stamps>;
  close(): void;
}

export async function stampingModel(): Promise<StampingModel> {
  const child = spawn(process.execPath, [MODEL], { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve));
  const url = `http://127.0.0.1:${port}`;
  const folder = mkdtempSync(join(tmpdir(), 'cadre-record-times-'));
  for (const [name, keys] of [
    ['lead', 'agents: [north, south]\n'] as const,
    ['north', ''] as const,
    ['south', ''] as const,
  ])
    writeFileSync(join(folder, `${name}.md`), `---\ndescription: The ${name}.\n${keys}---\nYou are ${name}.\n`);
  const provider = `near: { kind: openai-compatible, baseUrl: "${url}/v1", apiKey: "none" }`;
  writeFileSync(join(folder, 'cadre.yaml'), `providers:\n  ${provider}\ndefaults:\n  models: [near/m]\n`);
  return {
    url,
    folder,
    replies: async () => (await (await fetch(url)).json()) as Stamps,
    close() {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface StampedProcess {
  readonly child: ChildProcess;
  /** Settles when it has said that. */
  says(words: string): Promise<void>;
  /** Settles with what it recorded, in the order of recording. */
  readonly recorded: Promise<Stamps>;
}

let count = 0;

/** The built program, with stamps. */
export function stampedCadre(args: readonly string[], model: StampingModel, store: string): StampedProcess {
  const stamps = join(model.folder, `stamps-${count++}.json`);
  const main = process.env['CADRE_CLI'] ?? built('cli/main.js');
  const child = spawn(process.execPath, ['--import', pathToFileURL(STAMPS).href, main, ...args], {
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: '/nonexistent',
      NO_COLOR: '1',
      CADRE_STORE: store,
      CADRE_TEST_STAMPS: stamps,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => (said += part));
  const says = (words: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => (said.includes(words) ? resolve() : undefined);
      child.stderr.on('data', look);
      child.once('close', () => reject(new Error(`it ended before it said "${words}": ${said}`)));
      look();
    });
  const recorded = new Promise<Stamps>((resolve, reject) => {
    child.once('close', (code) => {
      if (code === 0) resolve(JSON.parse(readFileSync(stamps, 'utf8')) as Stamps);
      else reject(new Error(`cadre ${args.join(' ')} ended with ${code}: ${said}`));
    });
  });
  return { child, says, recorded };
}

/** Processes one after the other, or so many at once, in each of the rounds; and what the model sent them. */
export async function stampedRuns(
  model: StampingModel,
  store: string,
  rounds: number,
  atOnce: number,
): Promise<{ readonly sent: Stamps; readonly recorded: readonly Stamps[] }> {
  const before = (await model.replies()).length;
  const recorded: Stamps[] = [];
  for (let round = 0; round < rounds; round++) {
    const processes = Array.from({ length: atOnce }, () =>
      stampedCadre(['run', join(model.folder, 'lead.md'), 'Look around.'], model, store),
    );
    recorded.push(...(await Promise.all(processes.map((one) => one.recorded))));
  }
  return { sent: (await model.replies()).slice(before), recorded };
}

/** Ends with us, also where a test is given up. */
const BUSY = 'const parent = process.ppid; while (process.ppid === parent);';

/** Every core does something else meanwhile. */
export async function onBusyCores<Value>(work: () => Promise<Value>): Promise<Value> {
  const busy = Array.from({ length: availableParallelism() }, () => spawn(process.execPath, ['-e', BUSY]));
  try {
    return await work();
  } finally {
    for (const one of busy) one.kill('SIGKILL');
  }
}

/**
 * The times in milliseconds, of each process in the order of recording. Throws where a reply is recorded twice, or was
 * not sent.
 */
export function timesOf(replies: Stamps, recorded: readonly Stamps[]): readonly (readonly number[])[] {
  const sent = new Map(replies);
  return recorded.map((stamps) =>
    stamps.map(([reply, at]) => {
      const from = sent.get(reply);
      if (from === undefined) throw new Error(`${reply} was recorded and not sent, or recorded twice`);
      sent.delete(reply);
      return (at - from) / 1e6;
    }),
  );
}

export function figuresOf(name: string, times: readonly (readonly number[])[]): readonly Figure[] {
  const all = times.flat();
  const first = times.flatMap(([one]) => one ?? []);
  return [
    [`${name}: replies`, all.length],
    [`${name}: p50 · p99 · worst, in ms`, [shareAt(all, 0.5), shareAt(all, 0.99), shareAt(all, 1)].join(' · ')],
    [`${name}: the first reply of a process, p50 · worst, in ms`, [shareAt(first, 0.5), shareAt(first, 1)].join(' · ')],
  ];
}

/** The time that this share of them does not exceed. */
export function shareAt(times: readonly number[], share: number): string {
  const sorted = times.toSorted((left, right) => left - right);
  return (sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN).toFixed(1);
}

type On = <Value>(work: () => Promise<Value>) => Promise<Value>;

export const idle: On = (work) => work();

export const cases: readonly { readonly name: string; readonly atOnce: number; readonly on: On }[] = [
  { name: 'one process', atOnce: 1, on: idle },
  { name: 'four processes', atOnce: 4, on: idle },
  { name: 'one process on busy cores', atOnce: 1, on: onBusyCores },
  { name: 'four processes on busy cores', atOnce: 4, on: onBusyCores },
];
