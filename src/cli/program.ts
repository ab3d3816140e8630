// The command line: every command with its arguments, and nothing of what it does. Each action imports its command
// when it is called, so that a command loads only what it needs.

import { Command, CommanderError, Option } from 'commander';
import { EXIT } from '../kernel/fault.ts';
import type { CheckOptions } from './commands/check.ts';
import type { GraphOptions } from './commands/graph.ts';
import type { NewOptions } from './commands/new.ts';
import type { ReplayOptions } from './commands/replay.ts';
import type { RunCommandOptions } from './commands/run.ts';
import type { RunsOptions } from './commands/runs.ts';
import type { ShowOptions } from './commands/show.ts';
import { whatIfCommands } from './what-if.ts';

export interface Invocation {
  /** The exit code. */
  run(argv: readonly string[]): Promise<number>;
}

export function program(version: () => string): Invocation {
  let exit = 0;
  const cli = new Command('cadre');
  const done = async (work: Promise<number>): Promise<void> => {
    exit = await work;
  };

  cli
    .description('Teams of AI agents: a folder of Markdown files that Cadre checks, runs, shows and replays.')
    .option('-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .showHelpAfterError('See: cadre help')
    .exitOverride()
    .configureHelp({ sortOptions: false })
    .addHelpText('after', '\n"cadre help <command>" tells more; "cadre help exit-codes" lists the exit codes.');

  cli.on('option:version', () => {
    process.stdout.write(`${version()}\n`);
    throw new CommanderError(0, 'commander.version', '');
  });

  storeOption(
    cli
      .command('run')
      .description('run an agent, and print its answer')
      .argument('<agent>', 'path of an agent file, or the name of an agent of this folder')
      .argument('[input]', 'what it is asked; "-" or nothing reads a pipe')
      .option('--dir <folder>', 'the folder whose agent is meant')
      .option('--json', 'print every journal event as one line of JSON')
      .option('--output <format>', 'what the answer must be: json, text or markdown')
      .option('--schema <file>', 'the JSON Schema that a JSON answer must satisfy')
      .option('--stop-after <agent>', 'for debugging: end the run after this stage of a chain')
      .addOption(approveOption())
      .option('--quiet', 'no progress and no summary')
      .option('--verbose', 'also tell which steps of a script were not used'),
  )
    .addHelpText('after', '\nExit code 0 means answered, and nothing else does. See: cadre help exit-codes')
    .action((agent: string, input: string | undefined, options: RunCommandOptions) =>
      done(import('./commands/run.ts').then(({ run }) => run(agent, input, options))),
    );

  cli
    .command('check')
    .description('check a folder of agents: every finding, before a token is spent')
    .argument('[folder]', 'folder or agent file', '.')
    .option('--json', 'findings as JSON')
    .option('--github', 'findings as annotations for GitHub')
    .option('--bound', 'the most model calls that the limits allow below each agent')
    .action((folder: string, options: CheckOptions) =>
      done(import('./commands/check.ts').then(({ check }) => check(folder, options))),
    );

  cli
    .command('graph')
    .description('print who may lead to whom')
    .argument('[folder]', 'folder or agent file', '.')
    .option('--format <format>', 'text, mermaid, dot, svg or json')
    .option('-o, --out <file>', 'write it to a file, in the format of its ending')
    .action((folder: string, options: GraphOptions) =>
      done(import('./commands/graph.ts').then(({ graph }) => graph(folder, options))),
    );

  cli
    .command('new')
    .description('write a file for a new agent, with every key and its guidance')
    .argument('<name>', 'the name of the agent')
    .option('--dir <folder>', 'where', '.')
    .option('--print', 'print it instead of writing a file')
    .action((name: string, options: NewOptions) =>
      done(import('./commands/new.ts').then(({ newAgent }) => newAgent(name, options))),
    );

  cli
    .command('models')
    .description('what each agent would use, and which models are ready')
    .argument('[folder]', 'folder or agent file', '.')
    .option('--json', 'as JSON')
    .action((folder: string, options: { json?: boolean }) =>
      done(import('./commands/models.ts').then(({ models }) => models(folder, options))),
    );

  const runs = storeOption(
    cli
      .command('runs')
      .description('list what has been run, newest first')
      .argument('[list]', 'may be left out')
      .option('--json', 'as JSON')
      .option('--limit <count>', 'how many (20)')
      .option('--sizes', 'also how large they are'),
  ).action((word: string | undefined, options: RunsOptions, command: Command) => {
    if (word !== undefined && word !== 'list') command.error(`error: unknown word "${word}". Only "list" is known.`);
    return done(import('./commands/runs.ts').then(({ runs }) => runs(options)));
  });

  storeOption(
    cli
      .command('show')
      .description('show a run: its tree, its ledger or its conversations')
      .argument('[run]', 'its id, the beginning of it, or "last"', 'last')
      .option('--json', 'all of it as JSON')
      .option('--tree', 'only the tree')
      .option('--ledger', 'every model call on one line, and the totals')
      .option('--transcript [session]', 'what was said, in all sessions or in one'),
  ).action((run: string, options: ShowOptions) =>
    done(import('./commands/show.ts').then(({ show }) => show(run, options))),
  );

  storeOption(
    cli
      .command('resume')
      .description('take up a run that was broken off; no finished call is made again')
      .argument('[run]', 'its id, the beginning of it, or "last"', 'last')
      .option('--json', 'print every journal event as one line of JSON')
      .addOption(approveOption())
      .option('--quiet', 'no progress and no summary')
      .option('--verbose', 'also tell which steps of a script were not used'),
  ).action((run: string, options: RunCommandOptions) =>
    done(import('./commands/resume.ts').then(({ resume }) => resume(run, options))),
  );

  storeOption(
    cli
      .command('replay')
      .description('run a run again on its recorded answers, and say whether anything differs')
      .argument('[run]', 'its id, the beginning of it, or "last"', 'last')
      .option('--pinned', 'with the agent texts of then, not those of today'),
  ).action((run: string, options: ReplayOptions) =>
    done(import('./commands/replay.ts').then(({ replay }) => replay(run, options))),
  );

  whatIfCommands({ cli, runs, done, storeOption });

  cli
    .command('help')
    .description('help for a command, an agent, or "exit-codes"')
    .argument('[topic]', 'command, agent, or exit-codes')
    .option('--dir <folder>', 'the folder whose agent is meant')
    .action((topic: string | undefined, options: { dir?: string }) => done(help(cli, topic, options.dir)));

  return {
    async run(argv) {
      try {
        await cli.parseAsync(argv, { from: 'user' });
        return exit;
      } catch (thrown) {
        if (!(thrown instanceof CommanderError)) throw thrown;
        return thrown.exitCode === 0 ? 0 : EXIT.usage; // told by commander already
      }
    },
  };
}

const storeOption = (command: Command): Command =>
  command.option('--store <dir>', 'where runs are kept (or CADRE_STORE; else the nearest .cadre)');

const ALL = '*';

/** May be repeated, each time with the name of a tool or without. */
const approveOption = (): Option =>
  new Option('--approve [tool]', 'say yes beforehand to this tool, or to all')
    .preset(ALL)
    .argParser((tool: string, earlier: readonly (string | true)[] = []): readonly (string | true)[] => [
      ...earlier,
      tool === ALL ? true : tool,
    ]);

async function help(cli: Command, topic: string | undefined, dir: string | undefined): Promise<number> {
  if (topic === undefined) {
    process.stdout.write(helpOf(cli));
    return 0;
  }
  const command = cli.commands.find((one) => one.name() === topic);
  if (command !== undefined && dir === undefined) {
    process.stdout.write(helpOf(command));
    return 0;
  }
  if (topic === 'exit-codes') {
    const { exitCodes } = await import('./exit-codes.ts');
    process.stdout.write(`${exitCodes()}\n`);
    return 0;
  }
  const { helpAgent } = await import('./commands/help.ts');
  return helpAgent(topic, dir);
}

/** With what stands after it. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}
