// The arguments of cadre worker.

import type { Command } from 'commander';
import type { WorkerCommandOptions } from '../commands/worker.ts';
import { type CommandRunner, collect, storeOption, workspaceOption } from './command-options.ts';

export function workerArguments(cli: Command, done: CommandRunner): void {
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
    .action((folder: string, options: WorkerCommandOptions) =>
      done(import('../commands/worker.ts').then(({ worker }) => worker(folder, options))),
    );
}
