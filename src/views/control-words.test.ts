import { expect, test } from 'vitest';
import { controlWords } from './control-words.ts';

test('a message to a run is said by a person, and never by the way it came', () => {
  expect(controlWords({ id: '1', kind: 'send', by: 'owner', text: 'Hurry.' }, ['owner'])).toBe(
    'you sent a message: Hurry.',
  );
  expect(controlWords({ id: '2', kind: 'stop', reason: 'It is late.' }, [])).toBe(
    'somebody asked for the final answer: It is late.',
  );
  expect(controlWords({ id: '3', kind: 'cancel', by: 'ci', to: 'r~0.2', reason: 'Too dear.' }, [])).toBe(
    'ci cancelled r~0.2: Too dear.',
  );
  expect(controlWords({ id: '4', kind: 'verdict', by: 'ada', op: '0.2', approved: true, scope: 'run' }, ['ada'])).toBe(
    'you approved op 0.2 for the rest of the run',
  );
});
