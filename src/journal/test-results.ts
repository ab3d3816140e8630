// Results of tests, as cells named by their id. They are replaced whole, so a reader never sees half of one.

import { type Cells, type Space, textIn, textValue } from './cells.ts';
import { checkRunId } from './run-names.ts';
import { MOST_TESTS, type TestResults } from './store.ts';

const TESTS: Space = { name: 'test-results', holds: 'lines' };

export const testResultsIn = (cells: Cells): TestResults => ({
  async put(id, { head, body }) {
    await cells.putIf(TESTS, checkRunId(id), textValue(head, body), 'any');
    const newest = await cells.list(TESTS, '', { order: 'down', with: 'keys' });
    await Promise.all(newest.slice(MOST_TESTS).map(({ key }) => cells.delete(TESTS, key)));
  },
  async list() {
    const newest = await cells.list(TESTS, '', { order: 'down', limit: MOST_TESTS });
    return newest.map(({ key: id, head, putAt }) => ({ id, head, putAt }));
  },
  async get(id) {
    const cell = await cells.get(TESTS, checkRunId(id));
    return cell && { id, head: cell.head, body: textIn(cell), putAt: cell.putAt };
  },
  async remove(id) {
    await cells.delete(TESTS, checkRunId(id));
  },
});
