import type { RunEvent } from '../../../src/journal/event.ts';

export function longJournal(run: string, atLeast: number): readonly RunEvent[];
export function wideJournal(run: string, sessions: number): readonly RunEvent[];
export function waitingJournal(run: string, waited: number): readonly RunEvent[];
