// Large journals, made and not run: for tests and measurements of the page.

/** Adds events one by one, each with its place and a clock that ticks a few milliseconds. */
function journal(run, agent) {
  const events = [];
  const add = (event) => events.push({ seq: events.length, at: 1_800_000_000_000 + events.length * 3, ...event });
  add({
    type: 'run-start',
    version: 3,
    kernel: 2,
    run,
    agent,
    input: { text: 'Survey everything.' },
    folder: '/agents',
    texts: {},
  });
  const start = (path, op) => add({ type: 'op-start', path, op });
  const end = (path, kind, value) => add({ type: 'op-end', path, kind, result: { ok: true, value } });
  return {
    events,
    add,
    turn(path, session, who, turn, calls = []) {
      const added = turn === 1 ? [{ role: 'user', text: 'Go on.' }] : [];
      start(path, { kind: 'model', session, agent: who, turn, models: ['acme/small'], added });
      const message = { role: 'assistant', text: calls.length === 0 ? `Done with turn ${turn}.` : '', calls };
      const spent = { model: 'acme/small', usage: { input: 800, output: 40 }, usd: 0.0004 };
      end(path, 'model', { message, spent });
    },
    tool(path, who, id, file) {
      const call = { id, name: 'read_file', arguments: { path: file } };
      start(path, { kind: 'tool', agent: who, call });
      end(path, 'tool', { status: 'ok', text: `The text of ${file}.` });
    },
    run: (path, who, trigger, text) => start(path, { kind: 'run', agent: who, input: { text }, trigger }),
    runEnds: (path, outcome) => end(path, 'run', outcome),
    over: () => add({ type: 'run-end', outcome: { kind: 'answered', agent, text: 'All of it is surveyed.' } }),
  };
}

/** One agent with very many turns, each with one call: two rows for four events. */
export function longJournal(run, atLeast) {
  const book = journal(run, 'clerk');
  for (let turn = 1; book.events.length < atLeast - 1; turn++) {
    const id = `c-${turn}`;
    const path = `0.${turn * 2}`;
    book.turn(path, '0', 'clerk', turn, [{ id, name: 'read_file', arguments: { path: `page-${turn}.txt` } }]);
    book.tool(`0.${turn * 2 + 1}`, 'clerk', id, `page-${turn}.txt`);
  }
  book.over();
  return book.events;
}

/** One agent that asks very many others in one turn; every hundredth of them fails. */
export function wideJournal(run, sessions) {
  const book = journal(run, 'survey');
  book.turn('0.1', '0', 'survey', 1);
  for (let index = 0; index < sessions; index++) {
    const path = `0.2.${index}`;
    book.run(path, 'reporter', { kind: 'call' }, `Report on place ${index}.`);
    book.turn(`${path}.1`, path, 'reporter', 1);
    book.tool(`${path}.2`, 'reporter', `c-${index}`, `place-${index}.txt`);
    book.turn(`${path}.3`, path, 'reporter', 2);
    const fault = { code: 'timeout', message: 'It took too long.' };
    const failed = { kind: 'timed-out', agent: 'reporter', fault };
    book.runEnds(path, index % 100 === 99 ? failed : { kind: 'answered', agent: 'reporter', text: 'Seen.' });
  }
  book.turn('0.3', '0', 'survey', 2);
  book.over();
  return book.events;
}

/** One agent that asks a person in between, and gets an answer after so many milliseconds. */
export function waitingJournal(run, waited) {
  const book = journal(run, 'clerk');
  book.turn('0.1', '0', 'clerk', 1, [{ id: 'c-1', name: 'edit_file', arguments: { path: 'a.txt' } }]);
  book.add({ type: 'op-start', path: '0.2', op: { kind: 'approval', prompt: 'May I?', about: {} } });
  book.add({ type: 'op-end', path: '0.2', kind: 'approval', result: { ok: true, value: { approved: true } } });
  book.turn('0.3', '0', 'clerk', 2);
  book.over();
  // Each model call takes two seconds, and the person the rest.
  let at = book.events[0].at;
  return book.events.map((event) => {
    if (event.type === 'op-end') at += event.kind === 'model' ? 2000 : waited;
    return { ...event, at };
  });
}

/** One short run: when it began, what it was asked, what it cost and how it ended. */
export function shortJournal(
  run,
  { at, agent = 'clerk', asked = 'Where is order 17?', ms = 2500, usd = 0.0004, ...more },
) {
  const book = journal(run, agent);
  book.turn('0.1', '0', agent, 1);
  const { thread, continues, outcome = { kind: 'answered', agent, text: 'At the harbour.' } } = more;
  book.add({ type: 'run-end', outcome });
  return book.events.map((event, index, all) => {
    const placed = { ...event, at: at + Math.round((ms * index) / (all.length - 1)) };
    if (event.type === 'run-start')
      return { ...placed, input: { text: asked }, ...(thread && { thread }), ...(continues && { continues }) };
    if (event.type !== 'op-end') return placed;
    const { value } = event.result;
    return { ...placed, result: { ok: true, value: { ...value, spent: { ...value.spent, usd } } } };
  });
}
