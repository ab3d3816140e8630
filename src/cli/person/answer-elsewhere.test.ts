import { expect, test } from 'vitest';
import type { RunHandle } from '../../engine/contract.ts';
import type { RunEvent } from '../../journal/event.ts';
import { answerElsewhere, beginningsOf, type Elsewhere } from './answer-elsewhere.ts';

const asked = (path: string, prompt: string) =>
  ({ type: 'op-start', path, op: { kind: 'approval', prompt } }) as unknown as RunEvent;
const answered = (path: string) => ({ type: 'op-end', path }) as RunEvent;

test('a run that is followed from its middle tells only the calls that still wait', () => {
  const told: string[] = [];
  const nobody = { isAnswered: () => false } as unknown as Elsewhere;
  const answer = answerElsewhere({ run: 'r1' } as RunHandle, nobody, (text) => told.push(text));
  const recorded = [asked('0.2', 'may I?'), answered('0.2'), asked('0.5', 'and this?')];
  for (const event of beginningsOf(recorded)) answer(event);
  expect(told).toEqual(['waits for a person: and this? (cadre approve r1 0.5)']);
});
