// The command line: every command with its arguments, and nothing of what it does. Each action imports its command
// when it is called, so that a command loads only what it needs.

import { Command, CommanderError } from 'commander';
import { nearest } from '../../base/text/nearest.ts';
import { EXIT } from '../../kernel/fault.ts';
import { notify, print } from '../screen/output.ts';
import { agentCommands } from './agent-commands.ts';
import type { CommandRunner } from './command-options.ts';
import { fileCommands } from './file-commands.ts';
import { sparingNeededWords } from './optional-values.ts';
import { runCommands } from './run-commands.ts';
import { serviceCommands } from './service-commands.ts';
import { signInCommands } from './sign-in-commands.ts';

export function program(version: () => string): {
  /** The exit code. */
  run(argv: readonly string[]): Promise<number>;
} {
  let exit = 0;
  const cli = new Command('cadre');
  const done: CommandRunner =
    (load) =>
    async (...given) => {
      const command = given.at(-1) as Command;
      const call = (await load()) as (...asked: unknown[]) => Promise<number>;
      exit = await call(...given.slice(0, -2), command.optsWithGlobals(), version);
    };

  cli
    .description('Teams of AI agents: a folder of Markdown files that Cadre checks, runs, shows and replays.')
    .option('-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .showHelpAfterError('See: cadre help')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => print(whole(text)),
      writeErr: (text) => notify(whole(text)),
      outputError: (text, write) => write(withoutFarGuess(text)),
    })
    .configureHelp({ sortOptions: false })
    .addHelpText('after', '\n"cadre help <command>" says more; "cadre help exit-codes" lists the exit codes.');

  cli.on('option:version', () => {
    print(version());
    throw new CommanderError(0, 'commander.version', '');
  });

  agentCommands(cli, done);
  runCommands(cli, done);
  fileCommands(cli, done);
  serviceCommands(cli, done);
  signInCommands(cli, done);

  ownCommands(cli, done);

  return {
    async run(argv) {
      try {
        await cli.parseAsync([...sparingNeededWords(helpLast(argv), cli)], { from: 'user' });
        return exit;
      } catch (thrown) {
        if (!(thrown instanceof CommanderError)) throw thrown;
        return thrown.exitCode === 0 ? 0 : EXIT.usage; // commander has already said why
      }
    },
  };
}

/** The commands about the command line itself. */
function ownCommands(cli: Command, done: CommandRunner): void {
  cli
    .command('subagent-worker', { hidden: true })
    .action(done(async () => (await import('../commands/subagent-worker.ts')).subagentWorker));

  cli
    .command('completion')
    .description('print the script by which a shell completes commands, options, agents and runs')
    .argument('<shell>', 'bash, zsh or fish')
    .addHelpText('after', '\nFor bash: eval "$(cadre completion bash)", in ~/.bashrc. See: docs/concepts/cli.md')
    .action(done(async () => (await import('../completion/shells.ts')).completion));

  cli
    .command('complete-words', { hidden: true })
    .argument('[words...]')
    .action(
      done(async () => {
        const { completeWords } = await import('../completion/candidates.ts');
        return (words: readonly string[]) => completeWords(words, cli);
      }),
    );

  cli
    .command('help')
    .description('help for a command, an agent, or "exit-codes"')
    .argument('[topic]', 'command, agent, or exit-codes')
    .option('--dir <folder>', 'the folder of the agent')
    .action(
      done(
        async () =>
          (topic: string | undefined, { dir }: { dir?: string }) =>
            help(cli, topic, dir),
      ),
    );
}

/** `cadre --help run` is `cadre help run`. */
function helpLast(argv: readonly string[]): readonly string[] {
  const [first = '', topic] = argv;
  const isAbout = (first === '--help' || first === '-h') && topic !== undefined && !topic.startsWith('-');
  return isAbout ? ['help', ...argv.slice(1)] : argv;
}

/** commander guesses what was meant from words that have half of their letters in common. */
function withoutFarGuess(text: string): string {
  const [whole = '', given = '', guesses = ''] =
    /(?:option|command) '([^']*)'\n\(Did you mean (?:one of )?(.*)\?\)/.exec(text) ?? [];
  if (whole === '' || nearest(given, guesses.split(', ')) !== undefined) return text;
  return text.replace(/\n\(Did you mean .*\?\)/, '');
}

async function help(cli: Command, topic: string | undefined, dir: string | undefined): Promise<number> {
  if (topic === undefined) {
    print(helpOf(cli));
    return 0;
  }
  const command = cli.commands.find((one) => one.name() === topic);
  if (command !== undefined && dir === undefined) {
    print(helpOf(command));
    return 0;
  }
  if (topic === 'exit-codes') {
    const { exitCodes } = await import('../exit-codes.ts');
    print(exitCodes());
    return 0;
  }
  const { helpAgent } = await import('../commands/agents/help.ts');
  return helpAgent(topic, dir);
}

/** The help text with what stands after it. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return whole(text);
}

/** Drops the line break at the end, because every text is written with one. */
const whole = (text: string): string => text.replace(/\n$/, '');
