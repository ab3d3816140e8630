import { expect, test } from 'vitest';
import { cadre } from '../../../test/support/cadre.ts';
import type { RunEvent } from '../../journal/event.ts';
import { answerWriting, BROKE_OFF } from './answer-writing.ts';

/** The events that matter here: a run of `agent`, and model calls of it and of others. */
const start = (agent: string) => ({ type: 'run-start', seq: 0, at: 0, run: 'r', agent }) as unknown as RunEvent;
const call = (path: string, agent: string) =>
  ({ type: 'op-start', seq: 1, at: 0, path, op: { kind: 'model', agent, session: '0' } }) as unknown as RunEvent;
const hop = (path: string, agent: string, kind: string) =>
  ({ type: 'op-start', seq: 1, at: 0, path, op: { kind: 'run', agent, trigger: { kind } } }) as unknown as RunEvent;
const failed = (path: string) => ({ type: 'attempt', seq: 2, at: 0, path }) as unknown as RunEvent;

const CHAIN = { chain: { trigger: 'next', stages: [{ to: 'last' }], pass: 'answer' } } as never;
const JSON_OUT = { output: { format: 'json', schema: true } } as const;
const LOOP = { until: 'critic', max: 3, fresh: false, atMax: 'fail' } as const;
const agents = cadre(
  { name: 'one' },
  { name: 'first', ...(CHAIN as object) },
  { name: 'last' },
  { name: 'clerk', ...JSON_OUT },
  { name: 'helper' },
  { name: 'critic' },
  { name: 'looped', repeat: LOOP },
  { name: 'looped-first', repeat: LOOP, chain: { trigger: 'next', stages: [{ to: 'last' }], pass: 'answer' } },
  { name: 'led', repeat: LOOP, team: { members: ['helper'], supervisor: 'one' } },
  { name: 'desk', router: { destinations: ['looped', 'one'] } },
);

function writingOf(agent: string) {
  const written: string[] = [];
  return { written, writing: answerWriting(agents, agent, undefined, (text) => written.push(text)) };
}

test('text is passed on as it comes, and the end adds what is missing', () => {
  const { written, writing } = writingOf('one');
  writing.event(start('one'));
  writing.event(call('0.0', 'one'));
  writing.live({ type: 'text', path: '0.0', text: 'Hel' });
  writing.live({ type: 'reasoning', path: '0.0', text: 'hm' });
  writing.live({ type: 'text', path: '0.0', text: 'lo' });
  writing.finish('Hello.');
  expect(written).toEqual(['Hel', 'lo', '.']);
});

test('the sent text ends with the answer, whatever was written before', () => {
  const { written, writing } = writingOf('one');
  writing.event(start('one'));
  writing.event(call('0.0', 'one'));
  writing.live({ type: 'text', path: '0.0', text: 'Let me see.' });
  writing.event(call('0.2', 'one'));
  writing.live({ type: 'call', path: '0.2', name: 'final_report', text: '{"content":"It is ' });
  writing.live({ type: 'call', path: '0.2', name: 'final_report', text: 'done."}' });
  writing.finish('It is done.');
  expect(written.join('')).toBe('Let me see.\n\nIt is done.');
});

test('a reply that breaks off is marked, and begins again', () => {
  const { written, writing } = writingOf('one');
  writing.event(start('one'));
  writing.event(call('0.0', 'one'));
  writing.live({ type: 'text', path: '0.0', text: 'Half of' });
  writing.event(failed('0.0'));
  writing.live({ type: 'text', path: '0.0', text: 'All of it.' });
  writing.finish('All of it.');
  expect(written.join('')).toBe(`Half of\n\n${BROKE_OFF}\n\nAll of it.`);
});

test('a reply that breaks off for good is not said to begin again', () => {
  const { written, writing } = writingOf('one');
  writing.event(start('one'));
  writing.event(call('0.0', 'one'));
  writing.live({ type: 'text', path: '0.0', text: 'Half of' });
  writing.event(failed('0.0'));
  expect(written.join('')).toBe('Half of');
});

test('only the agent that answers is heard: no earlier stage, and nobody whom it asks', () => {
  const { written, writing } = writingOf('first');
  writing.event(start('first'));
  writing.event(call('0.0', 'first'));
  writing.live({ type: 'text', path: '0.0', text: 'For the next.' });
  writing.event(hop('0.1', 'last', 'next'));
  writing.event(call('0.1.0', 'last'));
  writing.event(hop('0.1.1', 'helper', 'call'));
  writing.event(call('0.1.1.0', 'helper'));
  writing.live({ type: 'text', path: '0.1.1.0', text: 'Between us.' });
  writing.live({ type: 'text', path: '0.1.0', text: 'For you.' });
  writing.finish('For you.');
  expect(written.join('')).toBe('For you.');
});

test('nothing of a JSON answer is sent before its end', () => {
  const { written, writing } = writingOf('clerk');
  writing.event(start('clerk'));
  writing.event(call('0.0', 'clerk'));
  writing.live({ type: 'text', path: '0.0', text: '{"filed"' });
  expect(written).toEqual([]);
  writing.finish('{"filed":"yes"}');
  expect(written).toEqual(['{"filed":"yes"}']);
});

test('nothing is sent of an answer that a judge may send back: it is sent whole at the end', () => {
  const { written, writing } = writingOf('looped');
  writing.event(start('looped'));
  writing.event(call('0.0', 'looped'));
  writing.live({ type: 'text', path: '0.0', text: 'a first try' });
  expect(written).toEqual([]);
  writing.finish('a second try');
  expect(written).toEqual(['a second try']);
});

test('in a round of a loop, in its team and at a destination nothing is sent; a stage after the loop is', () => {
  const said = (agent: string, ...events: readonly RunEvent[]): readonly string[] => {
    const { written, writing } = writingOf(agent);
    for (const event of [start(agent), ...events]) writing.event(event);
    const last = events.at(-1) as { readonly path: string };
    writing.live({ type: 'text', path: last.path, text: 'text' });
    return written;
  };
  expect(said('looped', hop('0.0', 'looped', 'repeat'), call('0.0.1', 'looped'))).toEqual([]);
  expect(said('led', hop('0.0', 'led', 'repeat'), hop('0.0.1', 'one', 'supervisor'), call('0.0.1.1', 'one'))).toEqual(
    [],
  );
  expect(said('desk', hop('0.3', 'looped', 'router'), call('0.3.1', 'looped'))).toEqual([]);
  expect(said('desk', hop('0.3', 'one', 'router'), call('0.3.1', 'one'))).toEqual(['text']);
  expect(said('looped-first', hop('0.3', 'last', 'next'), call('0.3.1', 'last'))).toEqual(['text']);
});
