// The arguments of the commands that serve others until they are asked to end: serve, worker and mcp.

import type { Command } from 'commander';
import { type CommandRunner, collect, storeOption, workspaceOption } from './command-options.ts';

export function serviceCommands(cli: Command, done: CommandRunner): void {
  serveCommand(cli, done);
  workerCommand(cli, done);
  mcpCommand(cli, done);
}

function serveCommand(cli: Command, done: CommandRunner): void {
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
    .action(done(async () => (await import('../commands/serve.ts')).serve));
}

function workerCommand(cli: Command, done: CommandRunner): void {
  storeOption(
    cli
      .command('worker')
      .description('take runs that were left to the workers of a store that machines share, and work on them')
      .argument('[folder]', 'the folder of the agents, with their keys and files', '.')
      .option('--most <count>', 'the number of runs at the same time (50)')
      .option('--agents <names>', 'only runs of these agents, with commas between them')
      .option('--label <label>', 'also runs that need this label; may be repeated', collect)
      .option('--name <name>', 'the name that lists show (host and process id)')
      .option('--any-config', 'also runs that pinned another cadre.yaml; it is used as they pinned it')
      .addOption(workspaceOption())
      .option('--restate', 'work for Restate, which hands out the runs: short for --engine restate')
      .option(
        '--listen <address>',
        'with Restate: the address that it, or the proxy before the workers, connects to (127.0.0.1:9080)',
      )
      .option(
        '--health <address>',
        'with Restate: the address at which GET /health says if this worker is well (127.0.0.1:9081)',
      )
      .option('--register [url]', 'with Restate: tell it the address of the workers (http:// and --listen)')
      .option(
        '--identity-key <key>',
        'with Restate: only take requests that a server with this public key signed; may be repeated',
        collect,
      ),
  )
    .addHelpText(
      'after',
      '\nSIGTERM lets the calls under way end within 30 seconds, and gives the runs to other workers. Put the address of ' +
        'the\nstore into CADRE_STORE, where the list of processes does not show its password. Restate decides which worker ' +
        'gets which\nrun, so --most, --agents and --label are for workers of a database.',
    )
    .action(done(async () => (await import('../commands/worker.ts')).worker));
}

function mcpCommand(cli: Command, done: CommandRunner): void {
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
    .action(done(async () => (await import('../commands/mcp.ts')).mcp));
}
