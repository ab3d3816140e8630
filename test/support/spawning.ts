// A boss that spawns, a worker that works, and what tests look for in the record of it.

import type { RunEvent } from '../../src/journal/event.ts';
import type { ModelRequest } from '../../src/kernel/effect.ts';
import { type AgentSketch, cadre, call, type Model, type Reply } from './cadre.ts';

export const limits = { maxDepth: 3, maxChildren: 5, maxTotal: 50, maxConcurrent: 8 };

export const boss = (config: Partial<typeof limits> & { agents?: string[] } = {}, extra: Partial<AgentSketch> = {}) =>
  cadre(
    { name: 'boss', maxToolCallsPerTurn: 100, spawn: { ...limits, agents: ['boss', 'worker'], ...config }, ...extra },
    { name: 'worker' },
  );

export const start = { agent: 'boss', input: { text: 'go' } };
export const report = (content: string): Reply => call('final_report', { content });
export const spawn = (args: object) => ({ name: 'sessions_spawn', args: { agent: 'worker', ...args } });
export const calls = (...list: readonly { readonly name: string; readonly args: unknown }[]): Reply => ({
  calls: list,
});

/**
 * The boss replies `first` on its first turn, then it waits for all, then it reports the last message that it heard.
 */
export const waiting =
  (first: Reply, worker: Model): Model =>
  (request, signal) => {
    if (request.agent !== 'boss') return worker(request, signal);
    if (request.turn === 1) return first;
    return request.turn === 2
      ? call('sessions_wait', {})
      : report(`heard ${ends(lastUser(request)).sort().join(', ')}`);
  };

export const lastUser = (request: ModelRequest): string => {
  const found = request.messages.findLast((message) => message.role === 'user');
  return found?.role === 'user' ? found.text : '';
};

/** The results of the session's calls so far. */
export const results = (request: ModelRequest): readonly string[] =>
  request.messages.flatMap((message) => (message.role === 'tool' ? [message.result.text] : []));

export type Json = Record<string, unknown>;
export const parsed = (request: ModelRequest, index = -1): Json =>
  JSON.parse(results(request).at(index) ?? '{}') as Json;

/** `label state` for each announcement in a text. */
export const ends = (text: string): string[] =>
  [...text.matchAll(/SPAWNED RUN `(.*)` HAS ENDED: (\S+)/g)].map(([, label, state]) => `${label} ${state}`);

export const instants = (events: readonly RunEvent[], kind: string) =>
  events.filter((event): event is Extract<RunEvent, { type: 'op' }> => event.type === 'op' && event.kind === kind);

/** The receipt of every accepted or refused spawn, in order. */
export const receipts = (
  events: readonly RunEvent[],
): readonly { readonly run: string; readonly sessionKey: string }[] =>
  instants(events, 'spawn').flatMap(
    ({ value }) => (value as { readonly receipts: readonly { run: string; sessionKey: string }[] }).receipts,
  );

export const announced = (events: readonly RunEvent[]): readonly string[] =>
  instants(events, 'announce').flatMap(({ detail }) => ends((detail as { readonly text: string }).text));

/** Never answers; ends when it is told to. */
export const hang = (signal: AbortSignal): Promise<Reply> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve('too late');
    signal.addEventListener('abort', () => resolve('too late'), { once: true });
  });
