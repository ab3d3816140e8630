// The messages to the runs of a store in Postgres. A message is a row until the run has recorded it.

import { messageText, type PostedText, takenFrom, understood } from '../../control-message.ts';
import type { RunId } from '../../event.ts';
import { checkRunId } from '../../run-names.ts';
import type { ControlQueue } from '../../store.ts';
import type { Unknown } from '../stored-event.ts';
import type { Database, Statement } from './database.ts';
import type { Lookout } from './lookout.ts';
import type { Session } from './session.ts';

const POST: Statement = {
  name: 'cadre-post',
  text: `with known as (select run from cadre_run where run = $1),
         posted as (insert into cadre_control (run, id, body) select run, $2, $3 from known on conflict (run, id) do nothing)
         select pg_notify($4, 'control ' || run) from known`,
};
const PENDING: Statement = {
  name: 'cadre-pending',
  text: 'update cadre_control set is_taken = true where run = $1 returning n::int, id, body',
};
const POSTED: Statement = {
  name: 'cadre-posted',
  text: 'select n::int, id, body from cadre_control where run = $1',
};
const WITHDRAW: Statement = {
  name: 'cadre-withdraw',
  text: 'delete from cadre_control where run = $1 and id = $2 and not is_taken returning id',
};
const REMOVE: Statement = {
  name: 'cadre-unpost',
  text: 'delete from cadre_control where run = $1 and id = any($2::text[])',
};

interface Posted {
  readonly n: number;
  readonly id: string;
  readonly body: string;
  readonly [column: string]: unknown;
}

export interface ControlParts {
  readonly database: Database;
  readonly session: Session;
  readonly lookout: Lookout;
  readonly unknown: Unknown;
  warn(text: string): void;
}

export function postgresControl({ database, session, lookout, unknown, warn }: ControlParts): ControlQueue {
  const remove = async (run: RunId, ids: readonly string[]): Promise<void> => {
    if (ids.length > 0) await database.query(REMOVE, [run, ids]);
  };
  const inOrder = async (statement: Statement, run: RunId): Promise<readonly PostedText[]> =>
    (await database.query<Posted>(statement, [checkRunId(run)]))
      .toSorted((left, right) => left.n - right.n)
      .map(({ id, body }) => [id, body] as const);
  return {
    async post(run, message) {
      const text = messageText(checkRunId(run), message);
      const [known] = await database.query(POST, [run, message.id, text, await session.channel('told')]);
      if (known === undefined) await unknown(run);
    },
    pending: async (run) => takenFrom(run, await inOrder(PENDING, run), { remove, warn }),
    posted: async (run) => understood(run, await inOrder(POSTED, run)),
    async withdraw(run, id) {
      return (await database.query(WITHDRAW, [checkRunId(run), id])).length > 0;
    },
    remove,
    watch: (run, told) => lookout.wait('control', checkRunId(run), told),
  };
}
