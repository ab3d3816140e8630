import type { RunEvent } from '../../../src/journal/event.ts';

export function longJournal(run: string, atLeast: number): readonly RunEvent[];
export function wideJournal(run: string, sessions: number): readonly RunEvent[];
export function waitingJournal(run: string, waited: number): readonly RunEvent[];

interface ShortRun {
  readonly at: number;
  readonly agent?: string;
  readonly asked?: string;
  readonly ms?: number;
  readonly usd?: number;
  readonly thread?: string;
  readonly continues?: string;
  readonly outcome?: unknown;
}
export function shortJournal(run: string, of: ShortRun): readonly RunEvent[];
