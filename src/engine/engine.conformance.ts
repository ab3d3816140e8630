// The contract of every engine. Each implementation's test file calls this once per store. A call that waits for a
// person is the gate by which a test holds a run in the middle.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ControlTaken, RunEvent, RunId } from '../journal/event.ts';
import type { UnsentMessage } from './contract.ts';
import type { Engine } from './engine.ts';
import { newMessage } from './handle.ts';

/** One store, and the engines that are opened on it. */
export interface EngineHost {
  /** Each engine stands for a process of its own. What waits for a person waits for a verdict. */
  open(folder: string): Promise<Engine>;
  /** Ends the work of an engine as a crash would: nothing more of it reaches the store. */
  crash(engine: Engine): Promise<void>;
  close(): Promise<void>;
}

const faultCode = (code: string) => expect.objectContaining({ fault: expect.objectContaining({ code }) });

/** Reads until its window is full, waits for a person, reads on until it is full again, and then tells what it knows. */
const READS = Array.from(
  { length: 18 },
  () => `{say: "${'I note what I read. '.repeat(14)}", call: {search_files: {query: "page {{turn}}"}}}`,
);

const FILES = {
  'cadre.yaml': [
    'providers: {demo: {kind: scripted, script: ./demo.script.yaml}}',
    'models: {small: {use: demo/small, contextWindow: 2800}}',
    'defaults: {models: [demo/any]}',
  ].join('\n'),
  'demo.script.yaml': [
    'agents:',
    '  quick: [{answer: "You said {{input}}."}]',
    '  clerk:',
    '    - {call: {list_files: {}}}',
    '    - {when: {last: "/person says (.+)/"}, answer: "I heard {{match.1}}."}',
    '    - {when: {tool: list_files, last: not approved}, answer: "It was denied."}',
    '    - {when: {tool: list_files}, answer: "It was allowed."}',
    '  twice:',
    '    - {calls: [{list_files: {}}, {search_files: {query: x}}]}',
    '    - {answer: done}',
    '  slow: [{fault: hang, answer: never}]',
    '  reader:',
    '    - {when: {compact: true}, report: {goal: Read., decisions: [], facts: [], open: [], files: []}}',
    '    - {call: {use_skill: {name: knots}}}',
    ...READS.map((step) => `    - ${step}`),
    '    - {call: {list_files: {}}}',
    ...READS.map((step) => `    - ${step}`),
    '    - {call: {use_skill: {name: knots}}}',
    '    - {answer: "I read all. {{result.use_skill}}"}',
  ].join('\n'),
  'quick.md': '---\ndescription: Answers.\n---\nAnswer.\n',
  'clerk.md': '---\ndescription: Asks.\ntools: [files]\napprove: [list_files]\n---\nAsk.\n',
  'twice.md': '---\ndescription: Asks twice.\ntools: [files]\napprove: [files]\n---\nAsk.\n',
  'reader.md':
    '---\ndescription: Reads.\nmodels: [small]\ntools: [files]\napprove: [list_files]\nmaxTurns: 50\nprojectFiles: [AGENTS.md]\n' +
    'skills: {use: true, preload: [bends]}\nstuck: off\n---\nRead.\n',
  'AGENTS.md': 'Use tabs.\n',
  'skills/knots/SKILL.md': '---\nname: knots\ndescription: For knots.\n---\nThe key is under the mat.\n',
  'skills/bends/SKILL.md': '---\nname: bends\ndescription: For bends.\n---\nBend it twice.\n',
  'slow.md': '---\ndescription: Hangs.\n---\nHang.\n',
};

/** `noLive`: why the engine has no live events, if it has none. */
export function engineConformance(name: string, openPlace: () => Promise<EngineHost>, noLive?: string): void {
  describe(`engine: ${name}`, () => {
    let place: EngineHost;
    let folder: string;
    let here: Engine;
    let elsewhere: Engine;

    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'cadre-engine-'));
      for (const [file, text] of Object.entries(FILES)) write(file, text);
      place = await openPlace();
      here = await place.open(folder);
      elsewhere = await place.open(folder);
    });
    afterEach(async () => {
      await here.close();
      await elsewhere.close();
      await place.close();
      rmSync(folder, { recursive: true, force: true });
    });

    const write = (file: string, text: string): void => {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    };
    const start = (agent: string, text = 'hello'): Promise<RunId> => here.start({ agent, input: { text } });
    const say = (run: RunId, saying: UnsentMessage, by: Engine = elsewhere) => by.control(run, newMessage(saying));
    /** A run of the clerk, and the op at which it waits. */
    const waiting = async (): Promise<{ readonly run: RunId; readonly op: string }> => {
      const run = await start('clerk');
      return { run, op: await opThatWaits(run, here) };
    };

    test('a run is started, followed to its end and found again, here and elsewhere', async () => {
      const run = await start('quick');
      expect(await here.outcome(run)).toMatchObject({ kind: 'answered', text: 'You said hello.' });
      expect(await elsewhere.outcome(run)).toMatchObject({ kind: 'answered', text: 'You said hello.' });
      const all = await collected(elsewhere.events(run));
      expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index));
      expect(all.at(-1)?.type).toBe('run-end');
      for (let from = 0; from <= all.length; from++)
        expect(await collected(here.events(run, from))).toEqual(all.slice(from));
      expect(await elsewhere.summary(run)).toMatchObject({ run, agent: 'quick', state: 'ended', outcome: 'answered' });
    });

    test('runs are listed newest first, in pages that miss none and repeat none', async () => {
      const made: RunId[] = [];
      for (let count = 0; count < 5; count++) {
        const run = await start('quick', String(count));
        await here.outcome(run);
        made.unshift(run);
      }
      const found: RunId[] = [];
      for (let before: string | undefined; ; ) {
        const page = await elsewhere.runs({ limit: 2, ...(before !== undefined && { before }) });
        found.push(...page.items.map(({ run }) => run));
        before = page.next;
        if (before === undefined) break;
      }
      expect(found).toEqual(made);
    });

    test.each(['here', 'elsewhere'] as const)(
      '%s, events are followed from any point while the run works',
      async (who) => {
        const engine = who === 'here' ? here : elsewhere;
        const { run, op } = await waiting();
        const followed = [0, 1, 3].map((from) => collected(engine.events(run, from)));
        await say(run, { kind: 'verdict', op, approved: true });
        const all = await collected(here.events(run));
        expect(await Promise.all(followed)).toEqual([all, all.slice(1), all.slice(3)]);
      },
    );

    test('a follower leaves when its signal is aborted, and the run goes on', async () => {
      const { run, op } = await waiting();
      const leave = new AbortController();
      const seen: RunEvent[] = [];
      for await (const event of elsewhere.events(run, 0, leave.signal)) {
        seen.push(event);
        if (event.type === 'op-start' && event.op.kind === 'approval') leave.abort();
      }
      expect(seen.at(-1)).toMatchObject({ type: 'op-start', path: op });
      await say(run, { kind: 'verdict', op, approved: true });
      expect(await elsewhere.outcome(run)).toMatchObject({ text: 'It was allowed.' });
    });

    test.each(['here', 'elsewhere'] as const)(
      'a message from %s reaches the session before its next turn, once',
      async (who) => {
        const engine = who === 'here' ? here : elsewhere;
        const { run, op } = await waiting();
        const message = newMessage({ kind: 'send', text: 'person says hurry' });
        expect(await engine.control(run, message)).toBe('taken');
        expect(await engine.control(run, message)).toBe('taken');
        await say(run, { kind: 'verdict', op, approved: true });
        expect(await here.outcome(run)).toMatchObject({ text: 'I heard hurry.' });
        expect(
          controls(await collected(here.events(run))).filter(({ message: one }) => one.kind === 'send'),
        ).toHaveLength(1);
      },
    );

    test.each([
      ['approved', true, 'It was allowed.'],
      ['denied', false, 'It was denied.'],
    ])('a call that waits is %s from elsewhere, and the record says by whom', async (_, approved, text) => {
      const { run, op } = await waiting();
      expect(await elsewhere.summary(run)).toMatchObject({ waiting: 1 });
      expect((await elsewhere.runs({ waiting: true })).items.map((one) => one.run)).toEqual([run]);
      expect(await say(run, { kind: 'verdict', op, approved, by: 'ada' })).toBe('taken');
      expect(await here.outcome(run)).toMatchObject({ text });
      const end = (await collected(here.events(run))).find((event) => event.type === 'op-end' && event.path === op);
      expect(end).toMatchObject({ result: { value: { approved, by: 'ada' } } });
      expect(await elsewhere.summary(run)).toMatchObject({ waiting: 0 });
    });

    test('the first of two verdicts counts, and the second is refused with the person who decided', async () => {
      const run = await start('twice');
      const [first = '', second = ''] = await opsThatWait(run, here, 2);
      await say(run, { kind: 'verdict', op: first, approved: true, by: 'ada' });
      await expect(say(run, { kind: 'verdict', op: first, approved: false, by: 'bob' })).rejects.toThrow(
        /approved by ada/,
      );
      await expect(say(run, { kind: 'verdict', op: '0.9', approved: true })).rejects.toEqual(
        faultCode('approval/unknown'),
      );
      const both = await Promise.allSettled(
        [true, false].map((approved) =>
          say(run, { kind: 'verdict', op: second, approved, by: approved ? 'cy' : 'di' }),
        ),
      );
      expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(await here.outcome(run)).toMatchObject({ kind: 'answered', text: 'done' });
    });

    test.each(['stop', 'cancel'] as const)('%s from elsewhere ends the run', async (kind) => {
      const run = await start('slow');
      await firstModelCall(run, here);
      if (kind === 'stop') {
        expect(await say(run, { kind, reason: 'enough' })).toBe('taken');
        expect(await say(run, { kind: 'cancel', reason: 'enough' })).toBe('taken');
      } else expect(await say(run, { kind, reason: 'enough' })).toBe('taken');
      expect(await elsewhere.outcome(run)).toMatchObject({
        kind: 'cancelled',
        fault: { message: expect.stringContaining('enough') },
      });
    });

    test('a message to an ended or unknown run is a fault', async () => {
      const run = await start('quick');
      await here.outcome(run);
      for (const engine of [here, elsewhere]) {
        await expect(say(run, { kind: 'send', text: 'late' }, engine)).rejects.toEqual(faultCode('run/finished'));
        await expect(say('nobody', { kind: 'send', text: 'late' }, engine)).rejects.toEqual(faultCode('run/unknown'));
      }
      await expect(collected(here.events('nobody'))).rejects.toEqual(faultCode('run/unknown'));
      await expect(here.outcome('nobody')).rejects.toEqual(faultCode('run/unknown'));
      await expect(here.summary('nobody')).rejects.toEqual(faultCode('run/unknown'));
      await expect(here.resume('nobody')).rejects.toEqual(faultCode('run/unknown'));
    });

    test('messages to a run that no process works on are taken first when it is resumed, each once', async () => {
      const { run, op } = await waiting();
      await place.crash(here);
      expect(await say(run, { kind: 'send', text: 'person says at last' })).toBe('waits');
      expect(await say(run, { kind: 'verdict', op, approved: true, by: 'ada' })).toBe('waits');
      await expect(say(run, { kind: 'verdict', op, approved: false, by: 'bob' })).rejects.toThrow(
        `Op ${op} was decided already: approved by ada.`,
      );
      here = await place.open(folder);
      await here.resume(run);
      expect(await here.outcome(run)).toMatchObject({ text: 'I heard at last.' });
      const events = await collected(here.events(run));
      expect(controls(events).map(({ message }) => message.kind)).toEqual(['send', 'verdict']);
      const resumed = events.findLastIndex(({ type }) => type === 'run-resume');
      expect(events.slice(resumed + 1, resumed + 3).map(({ type }) => type)).toEqual(['control', 'control']);
    });

    test('a run that crashed after a compaction goes on elsewhere with the texts that it was given, and pays for no summary twice', async () => {
      const run = await start('reader');
      const op = await opThatWaits(run, here);
      const before = await untilItWaits(run, here);
      expect(compactedTurns(before)).not.toEqual([]);
      await place.crash(here);
      write('AGENTS.md', 'Use spaces.\n');
      write('skills/knots/SKILL.md', FILES['skills/knots/SKILL.md'].replace('the mat', 'a stone'));
      rmSync(join(folder, 'skills/bends'), { recursive: true });
      here = await place.open(folder);
      await here.resume(run);
      await say(run, { kind: 'verdict', op, approved: true });
      const outcome = await elsewhere.outcome(run);
      expect(outcome, JSON.stringify(outcome)).toMatchObject({
        kind: 'answered',
        text: expect.stringMatching(
          /^I read all\. Skill knots: [^]*It has changed since[^]*The key is under a stone\./,
        ),
      });
      const events = await collected(elsewhere.events(run));
      expect(systemsIn(events)).toEqual([
        expect.stringMatching(/Use tabs\.[^]*- knots: For knots\.[^]*Bend it twice\./),
      ]);
      const turns = compactedTurns(events);
      expect(turns.length).toBeGreaterThan(compactedTurns(before).length);
      expect(new Set(turns).size).toBe(turns.length);
    });

    test.each(['stop', 'cancel'] as const)('a %s that was taken holds when the run is taken up again', async (kind) => {
      const run = await start('slow');
      await firstModelCall(run, here);
      if (kind === 'cancel') await place.crash(here);
      await say(run, { kind, reason: 'enough' });
      if (kind === 'stop') await place.crash(here);
      here = await place.open(folder);
      await here.resume(run);
      if (kind === 'stop') await say(run, { kind: 'cancel', reason: 'enough' });
      expect(await here.outcome(run)).toMatchObject({ kind: 'cancelled' });
      expect(controls(await collected(here.events(run))).filter(({ message }) => message.kind === kind)).toHaveLength(
        1,
      );
    });

    test('a run is worked on by one engine at a time', async () => {
      const { run, op } = await waiting();
      await expect(elsewhere.resume(run)).rejects.toEqual(faultCode('run/locked'));
      await say(run, { kind: 'verdict', op, approved: true });
      await here.outcome(run);
      await expect(elsewhere.resume(run)).rejects.toEqual(faultCode('run/finished'));
    });

    const withLive = noLive === undefined ? '' : ` (${noLive})`;
    test.skipIf(noLive !== undefined)(
      `live events come between the events of a run that works here${withLive}`,
      async () => {
        const texts: string[] = [];
        const run = await start('quick', 'live');
        for await (const event of here.live(run)) if (event.type === 'text') texts.push(event.text);
        expect(texts.join('')).toBe('You said live.');
        expect(await collected(elsewhere.live(run))).toEqual([]);
      },
    );
  });
}

async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const controls = (events: readonly RunEvent[]): readonly ControlTaken[] =>
  events.filter((event) => event.type === 'control');

async function opsThatWait(run: RunId, engine: Engine, count: number): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const event of engine.events(run)) {
    if (event.type === 'op-start' && event.op.kind === 'approval') found.push(event.path);
    if (found.length === count) break;
  }
  return found;
}

async function untilItWaits(run: RunId, engine: Engine): Promise<readonly RunEvent[]> {
  const seen: RunEvent[] = [];
  for await (const event of engine.events(run)) {
    seen.push(event);
    if (event.type === 'op-start' && event.op.kind === 'approval') break;
  }
  return seen;
}

const modelCalls = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === 'op-start' && event.op.kind === 'model' ? [event.op] : []));

/** The turns after which a session was compacted. */
const compactedTurns = (events: readonly RunEvent[]): readonly number[] =>
  modelCalls(events).flatMap(({ compact, turn }) => (compact === undefined ? [] : [turn]));

/** The prompts of sessions, without those of summaries. */
const systemsIn = (events: readonly RunEvent[]): readonly string[] =>
  modelCalls(events).flatMap(({ system, compact }) => (system === undefined || compact !== undefined ? [] : [system]));

const opThatWaits = async (run: RunId, engine: Engine): Promise<string> =>
  (await opsThatWait(run, engine, 1))[0] as string;

async function firstModelCall(run: RunId, engine: Engine): Promise<void> {
  for await (const event of engine.events(run)) if (event.type === 'op-start' && event.op.kind === 'model') return;
}
