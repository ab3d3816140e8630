// The mistakes that the whole suite of 0.2.0 let through, and the test that fails on each now.

export const KNOWN = [
  {
    file: 'src/kernel/session/session.ts',
    says: 'a JSON agent may answer its last turn with text',
    from: "choice: final && state.contract.format === 'json' ? 'required' : 'auto'",
    to: "choice: 'auto'",
    tests: ['src/kernel/session/session.test.ts'],
  },
  {
    file: 'src/patterns/chain/chain.ts',
    says: 'a chain goes on after a chain within it was stopped',
    from: 'if (outcome.stoppedAfter !== undefined) return outcome;',
    to: '',
    tests: ['src/patterns/chain/chain.test.ts'],
  },
  {
    file: 'src/run/resources/gated.ts',
    says: 'a reservation is kept when the slot of the provider is refused',
    from: 'await outer.leave({ ok: false, fault: inner });',
    to: '',
    tests: ['test/budget.test.ts'],
  },
  {
    file: 'src/engine/history/undo-plan.ts',
    says: 'a change in doubt counts as never made',
    from: "verdict === 'made' || (verdict === 'unknown' && change.state === 'in-doubt')",
    to: "verdict === 'made'",
    tests: ['src/engine/history/undo-plan.test.ts'],
  },
  {
    file: 'src/server/rate-limit.ts',
    says: 'one request a minute comes back, whatever the limit',
    from: '((at - bucket.at) / 60_000) * most',
    to: '(at - bucket.at) / 60_000',
    tests: ['src/server/rate-limit.test.ts'],
  },
  {
    file: 'src/server/heads/openai/chat-completion.ts',
    says: 'a streamed forced tool call ends with stop',
    from: 'chunk({}, finishOf(tool))',
    to: "chunk({}, 'stop')",
    tests: ['test/heads/openai.test.ts'],
  },
  {
    file: 'src/agent-tests/judge.ts',
    says: 'a case must be better than its threshold',
    from: 'shareOf(verdicts) >= atLeast',
    to: 'shareOf(verdicts) > atLeast',
    tests: ['src/agent-tests/judge.test.ts'],
  },
  {
    file: 'src/views/queued-why.ts',
    says: 'one full worker counts as all',
    from: 'able.every(isFull)',
    to: 'able.some(isFull)',
    tests: ['src/views/queued-why.test.ts'],
  },
  {
    file: 'src/stores/postgres/lease.ts',
    says: 'a process that was taken over frees the run of another',
    from: 'update cadre_run set held_by = null where run = $1 and epoch = $2 and events > 0',
    to: 'update cadre_run set held_by = null where run = $1 and epoch >= $2 and events > 0',
    tests: ['src/stores/postgres/postgres-store.test.ts'],
  },
];
