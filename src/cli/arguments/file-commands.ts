// The arguments of the commands about a run as a file: export and verify.

import type { Command } from 'commander';
import { type CommandRunner, storeOption } from './command-options.ts';

export function fileCommands(cli: Command, done: CommandRunner): void {
  storeOption(
    cli
      .command('export')
      .description('write a run as one HTML file that opens without a server or a network')
      .argument('<run>', 'its id, the beginning of it, its label, or "last"')
      .option('--out <file>', 'the file, or - for stdout (<agent>-<date and time>.html)')
      .option('--force', 'write over a file that is there'),
  ).action(done(async () => (await import('../commands/history/export.ts')).exportCommand));
  cli
    .command('verify')
    .description('replay the run that is in an exported file, and say if anything differs')
    .argument('<file>', 'a file of cadre export')
    .action(done(async () => (await import('../commands/history/verify.ts')).verify));
}
