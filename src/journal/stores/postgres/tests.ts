// Results of tests in Postgres: a row each, replaced whole.

import { checkRunId } from '../../run-names.ts';
import { type KeptTests, type ListedTests, MOST_TESTS, type TestResults } from '../../store.ts';
import type { Database, Statement } from './database.ts';

const PUT: Statement = {
  name: 'cadre-put-tests',
  text: `with put as (
           insert into cadre_tests (id, head, body, put_at) values ($1, $2, $3, clock_timestamp())
           on conflict (id) do update set head = $2, body = $3, put_at = clock_timestamp() returning id)
         delete from cadre_tests where id not in (
           select id from cadre_tests union select id from put order by id desc limit ${MOST_TESTS})`,
};
const COLUMNS = `id, head, extract(epoch from put_at)::float8 * 1000 as "putAt"`;
const LIST: Statement = {
  name: 'cadre-list-tests',
  text: `select ${COLUMNS} from cadre_tests order by id desc limit ${MOST_TESTS}`,
};
const GET: Statement = { name: 'cadre-get-tests', text: `select ${COLUMNS}, body from cadre_tests where id = $1` };
const REMOVE: Statement = { name: 'cadre-remove-tests', text: 'delete from cadre_tests where id = $1' };

interface Listed extends ListedTests {
  readonly [column: string]: unknown;
}
interface Row extends Listed, KeptTests {
  readonly head: string;
}

export function postgresTests(database: Database): TestResults {
  return {
    async put(id, { head, body }) {
      await database.query(PUT, [checkRunId(id), head, body]);
    },
    list: () => database.query<Listed>(LIST),
    async get(id) {
      return (await database.query<Row>(GET, [checkRunId(id)]))[0];
    },
    async remove(id) {
      await database.query(REMOVE, [checkRunId(id)]);
    },
  };
}
