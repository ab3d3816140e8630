// The options with which a program starts a server, and the handle that it gets. It names no package, so that a program
// needs none for it.

import type { RunStore } from '../journal/store.ts';
import type { GivenProviders } from '../models/provider-instance.ts';
import type { Tool } from '../tools/tool.ts';

export interface ServerOptions {
  /** Win over `server` of cadre.yaml. Port 0 takes a free one. */
  readonly host?: string;
  readonly port?: number;
  /**
   * The token that requests need. Absent: one is made at the first start, and kept in the store's folder. `false`: none
   * is needed, which is allowed on loopback only.
   */
  readonly token?: string | false;
  /** The workers of the runs: this process (the default), or those of a store in a database. */
  readonly work?: 'here' | 'workers';
  /** Functions of the program, as tools. */
  readonly tools?: readonly Tool[];
  /** Provider instances of the AI SDK, by name. */
  readonly providers?: GivenProviders;
  /** Gets lines for a log: of runs, refused requests and problems. Default: problems become process warnings. */
  readonly log?: (text: string) => void;
}

export interface ServeOptions extends ServerOptions {
  /** A store, the folder of one, the address of one (`postgres://…`, `restate://…`), or `memory`. Default: what cadre.yaml says, else `.cadre` in the folder. */
  readonly store?: RunStore | string;
}

export interface CadreServer {
  /** `http://127.0.0.1:4177` */
  readonly url: string;
  /** The address that opens the page, with the token. */
  readonly openUrl: string;
  /** Undefined where none is needed. */
  readonly token: string | undefined;
  /** Takes no more runs, lets those at work go on for the grace time, and closes. Called again: closes at once. */
  close(): Promise<void>;
}
