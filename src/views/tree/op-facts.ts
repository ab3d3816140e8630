// Everything that the journal holds about one op, found by its path: what it was asked, each attempt, how it ended, and
// the events that say so.

import type { Attempt, InstantOp, OpDetail, OpResult, RunEvent, RunStart } from '../../journal/event.ts';
import { type OpPath, ROOT } from '../../kernel/path.ts';

export interface OpFacts {
  readonly path: OpPath;
  /** The sequence number of the first event and of the last one so far. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly startedAt: number;
  readonly endedAt?: number;
  /** The request of an op that takes time. */
  readonly op?: OpDetail;
  /** An op that was over as it began. */
  readonly instant?: Pick<InstantOp, 'kind' | 'detail' | 'value'>;
  /** Attempts of a model call that failed. */
  readonly attempts: readonly Attempt[];
  /** The time at which each try of it began: more than one after a crash. */
  readonly begins: readonly number[];
  readonly result?: OpResult;
}

export function opFactsFold() {
  const facts = new Map<
    OpPath,
    { -readonly [Key in keyof OpFacts]: OpFacts[Key] } & { attempts: Attempt[]; begins: number[] }
  >();
  let run: RunStart | undefined;

  const grown = (path: OpPath, { seq, at }: RunEvent) => {
    const known = facts.get(path) ?? { path, firstSeq: seq, lastSeq: seq, startedAt: at, attempts: [], begins: [] };
    known.lastSeq = seq;
    facts.set(path, known);
    return known;
  };
  return {
    at: (path: OpPath): OpFacts | undefined => facts.get(path),
    /** The run itself, as it began. */
    start: (): RunStart | undefined => run,
    /** The op that an event is about, if it is about one. */
    opOf: (event: RunEvent): OpPath | undefined =>
      'path' in event ? event.path : event.type === 'run-start' || event.type === 'run-end' ? ROOT : undefined,
    add(event: RunEvent): void {
      switch (event.type) {
        case 'run-start':
          run = event;
          grown(ROOT, event);
          break;
        case 'op-start': {
          const one = grown(event.path, event);
          one.op = event.op;
          one.begins.push(event.at);
          break;
        }
        case 'attempt':
          grown(event.path, event).attempts.push(event);
          break;
        case 'op-end': {
          const one = grown(event.path, event);
          one.endedAt = event.at;
          one.result = event.result;
          break;
        }
        case 'op': {
          const { kind, detail, value } = event;
          const one = grown(event.path, event);
          one.endedAt = event.at;
          one.instant = { kind, detail, value };
          break;
        }
        case 'run-end':
          grown(ROOT, event).endedAt = event.at;
          break;
        case 'intent':
          grown(event.path, event);
          break;
        case 'fact':
        case 'run-resume':
        case 'control':
        case 'undo':
          break;
      }
    },
  };
}
