// The connections of a store in Postgres, as all of its parts share them.

import type { Unknown } from '../stored-event.ts';
import type { Database } from './database.ts';
import type { RunWatcher } from './run-watcher.ts';
import type { HolderSession } from './session.ts';

export interface Connections {
  readonly database: Database;
  readonly session: HolderSession;
  readonly lookout: RunWatcher;
  /** Throws if the run is not there. */
  readonly unknown: Unknown;
  warn(text: string): void;
}
