// The arguments of cadre mcp.

import type { Command } from 'commander';
import type { StoreOptions } from '../lookup/store-place.ts';
import { type CommandRunner, storeOption } from './command-options.ts';

export function mcpCommand(cli: Command, done: CommandRunner, version: () => string): void {
  storeOption(
    cli
      .command('mcp')
      .description('offer the agents of a folder as tools of an MCP server, on stdin and stdout')
      .argument('[folder]', 'the folder of a cadre, or one with cadres below it', '.'),
  )
    .addHelpText(
      'after',
      '\nAn editor or assistant starts it: {"command": "cadre", "args": ["mcp", "/path/to/folder"]}. Nothing but the protocol is\n' +
        'written to stdout; notices go to stderr. Runs are kept in the nearest .cadre from the folder upward. Calls that need a yes\n' +
        'are asked of the person at the client if it can ask, and else wait for cadre approve. When the client leaves, its runs end.',
    )
    .action((folder: string, options: StoreOptions) =>
      done(import('../commands/mcp.ts').then(({ mcp }) => mcp(folder, options, version()))),
    );
}
