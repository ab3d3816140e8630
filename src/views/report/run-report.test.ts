import { expect, test } from 'vitest';
import { journalByHand } from '../../../test/support/events.ts';
import { runReport } from './run-report.ts';

test('a report has the run, its outcome, the tree, the ledger and the totals, and is JSON as it stands', () => {
  const report = runReport(journalByHand().ask('0.0').reply('0.0', 'hello').over().events);
  expect(Object.keys(report)).toEqual(['run', 'outcome', 'tree', 'ledger', 'calls', 'totals']);
  expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  expect(report).toMatchObject({
    run: 'r1',
    outcome: { kind: 'answered', text: 'all done' },
    tree: { kind: 'run', path: '0', agent: 'lead', state: 'answered', inclusive: { usd: 0.5 } },
    ledger: [{ path: '0.0', usd: 0.5 }],
    totals: {
      usd: 0.5,
      input: 100,
      output: 20,
      calls: 1,
      agents: [{ agent: 'lead' }],
      triggers: [{ trigger: 'start' }],
    },
  });
});

test('a run that has not ended has no outcome', () => {
  const { events } = journalByHand().ask('0.0');
  expect(runReport(events)).toMatchObject({
    outcome: null,
    tree: { state: 'in-doubt' },
    ledger: [{ status: 'in-doubt' }],
  });
  expect(runReport(events, { live: true })).toMatchObject({ outcome: null, tree: { state: 'running' }, ledger: [] });
});
