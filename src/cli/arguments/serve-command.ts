// The arguments of cadre serve.

import type { Command } from 'commander';
import type { ServeCommandOptions } from '../commands/serve.ts';
import { type CommandRunner, storeOption } from './command-options.ts';

export function serveCommand(cli: Command, done: CommandRunner, version: () => string): void {
  storeOption(
    cli
      .command('serve')
      .description('serve a folder of agents over HTTP, with the page')
      .argument('[folder]', 'the folder of a cadre, or one with cadres below it', '.')
      .option('--host <address>', 'the address to listen on (127.0.0.1)')
      .option('--port <number>', 'the port to listen on (4177); 0 takes a free one')
      .option('--token <token>', 'the token that requests need (or CADRE_TOKEN; else one is made and kept)')
      .option('--no-token', 'ask for no token; only on this machine')
      .option('--forget-logins', 'end all log-ins of the page first, also those at servers of this store that run')
      .option('--quiet', 'log only problems, not runs and refused requests')
      .option('--workers', 'leave the runs to the workers of the store (cadre worker)'),
  )
    .addHelpText(
      'after',
      '\nIt prints the address that opens the page. Runs that were broken off go on, and files are read again as they change.\n' +
        'SIGTERM and Ctrl+C end it in order: runs at work may go on for server.grace, and those left go on at the next start.',
    )
    .action((folder: string, options: ServeCommandOptions) =>
      done(import('../commands/serve.ts').then(({ serve }) => serve(folder, options, version()))),
    );
}
