import { expect, test, vi } from 'vitest';
import { interrupts } from './interrupts.ts';

test('Ctrl+C stops, then cancels, then leaves', () => {
  const said: string[] = [];
  const target = { interrupt: (how: string, why: string) => said.push(`${how} ${why}`) };
  const pressed = interrupts(
    target,
    (text) => said.push(text),
    (exit) => said.push(`left ${exit}`),
  );
  for (let press = 0; press < 3; press++) pressed.interrupt();
  expect(said).toEqual([
    'stopping: asked for a final answer (Ctrl+C again cancels)',
    'stop A person pressed Ctrl+C.',
    'cancelling (Ctrl+C again leaves at once)',
    'cancel A person pressed Ctrl+C twice.',
    'left 130',
  ]);
});

test('a request to terminate cancels, and Ctrl+C after it leaves', () => {
  const interrupt = vi.fn();
  const leave = vi.fn();
  const pressed = interrupts({ interrupt }, () => {}, leave);
  pressed.terminate();
  expect(interrupt).toHaveBeenCalledExactlyOnceWith('cancel', 'The process was asked to terminate.');
  pressed.interrupt();
  expect(leave).toHaveBeenCalledWith(130);
});
