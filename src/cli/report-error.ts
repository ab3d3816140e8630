// Turns what was thrown into a message on stderr and an exit code. A fault is printed in its own words; anything else
// is called a defect in Cadre, and shows no stack unless CADRE_DEBUG asks for it.

import { FAULTS, FaultError } from '../kernel/fault.ts';
import { printable } from './render/width.ts';
import { notify } from './screen/output.ts';
import { type Paint, paintFor } from './screen/terminal.ts';

export function errorReport(
  thrown: unknown,
  paint: Paint,
  env: NodeJS.ProcessEnv = process.env,
): { readonly text: string; readonly exit: number } {
  const debug = env['CADRE_DEBUG'] !== undefined && env['CADRE_DEBUG'] !== '';
  const stack = debug && thrown instanceof Error && thrown.stack !== undefined ? `\n${thrown.stack}` : '';
  const label = paint('error', 'error');
  if (thrown instanceof FaultError && thrown.fault.code !== 'internal') {
    return { text: `${label}: ${printable(thrown.fault.message)}${stack}`, exit: FAULTS[thrown.fault.code].exit };
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const how = stack === '' ? '. Set CADRE_DEBUG=1 to see where, and report it with your command.' : '';
  return {
    text: `${label}: a defect in Cadre: ${printable(message).split('\n')[0]}${how}${stack}`,
    exit: FAULTS.internal.exit,
  };
}

/** Prints it on stderr, without secrets, and returns the exit code. What knows the secrets is loaded here. */
export async function reportError(thrown: unknown): Promise<number> {
  const { text, exit } = errorReport(thrown, paintFor(process.stderr));
  const { secretsOfProcess } = await import('../secrets/of-process.ts');
  notify(secretsOfProcess().redact(text));
  return exit;
}
