import { expect, test } from 'vitest';
import { runCommand } from './run-command.ts';

test('the command that starts the same run survives quotes, and names a file where there are several cadres', () => {
  const clerk = { name: 'clerk', prefix: '', file: 'clerk.md' };
  expect(runCommand(clerk, "it's here")).toBe(`cadre run clerk 'it'\\''s here'`);
  expect(runCommand(clerk, { a: 1 })).toBe(`cadre run clerk '{"a":1}'`);
  const far = { name: 'desk/clerk', prefix: 'desk/', file: 'desk/clerk.md' };
  expect(runCommand(far, 'go')).toBe(`cadre run desk/clerk.md 'go'`);
  expect(runCommand(clerk, 'go', ["it's.png", 'b.pdf'])).toBe(
    `cadre run clerk 'go' --file 'it'\\''s.png' --file 'b.pdf'`,
  );
});
