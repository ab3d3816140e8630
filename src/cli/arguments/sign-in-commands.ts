// The arguments of cadre sign-in and cadre sign-out.

import type { Command } from 'commander';
import { type CommandRunner, collect, storeOption } from './command-options.ts';

export function signInCommands(cli: Command, done: CommandRunner): void {
  storeOption(
    cli
      .command('sign-in')
      .description('sign in to an MCP server, for all runs of the store, or list who is signed in where')
      .argument('[server]', 'its key in mcpServers; without it, the states are listed')
      .option('--dir <folder>', 'the folder of the cadre.yaml that names it, or one below it')
      .option('--scope <scope>', 'ask for this scope too; may be repeated', collect)
      .option('--port <number>', 'the port that the browser returns to, if the client is registered with a certain one')
      .option('--paste', 'read the address that the browser was sent to from standard input')
      .option('--no-browser', 'only print the address of the sign-in page')
      .option('--json', 'the states as JSON'),
  )
    .addHelpText(
      'after',
      '\nThe sign-in is kept in the store: every run in it that may use the server uses it. Runs that wait for it go on.\n' +
        'On a machine without a browser, open the printed address elsewhere and give the address it leads to with --paste.',
    )
    .action(done(async () => (await import('../commands/sign-in.ts')).signIn));
  storeOption(
    cli
      .command('sign-out')
      .description('revoke and forget the sign-in to an MCP server')
      .argument('<server>', 'its key in mcpServers')
      .option('--dir <folder>', 'the folder of the cadre.yaml that names it, or one below it'),
  ).action(done(async () => (await import('../commands/sign-in.ts')).signOutOf));
}
