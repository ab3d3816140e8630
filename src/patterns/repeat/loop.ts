// One run of an agent that is repeated, as its loop and its judge share it.

import type { SessionInput, SessionRoutine } from '../../kernel/session/session-spec.ts';
import type { PatternContext } from '../pattern.ts';
import type { RepeatConfig } from './key.ts';

export interface Loop {
  readonly config: RepeatConfig;
  readonly context: PatternContext;
  /** The routine that is repeated. */
  readonly inner: SessionRoutine;
  readonly input: SessionInput;
}
