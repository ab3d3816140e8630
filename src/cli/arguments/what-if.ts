// The arguments of the commands about runs that are over or broken off: fork, diff and runs prune.

import type { Command } from 'commander';
import { approveOption, type CommandRunner, collect, storeOption, workspaceOption } from './command-options.ts';

/** prune stands under `cadre runs`. */
export function whatIfCommands(cli: Command, runs: Command, done: CommandRunner): void {
  forkCommand(cli, done);
  diffCommand(cli, done);
  pruneCommand(runs, done);
}

function forkCommand(cli: Command, done: CommandRunner): void {
  storeOption(
    cli
      .command('fork')
      .description('copy a run up to an op into a new run, and go on live from there')
      .argument('[run]', 'its id, the beginning of it, or "last"', 'last')
      .requiredOption('--at <op>', 'the first op that is done again, by its path: 0.3')
      .option(
        '--prompt <agent=file>',
        'give this agent another text, for this fork alone; may be repeated ("-": from a pipe)',
        collect,
      )
      .option(
        '--model <model>',
        'use this model for all agents, or for one: writer=openai/gpt-5; may be repeated, in order of preference',
        collect,
      )
      .option(
        '--budget <limit>',
        'in place of the budget of the agent that was asked: usd=0.50; may be repeated',
        collect,
      )
      .option('--agent-dir <folder>', 'go on with the agents of this folder')
      .option('--pinned-config', 'also use entries that only the recorded cadre.yaml has, and not that of today')
      .option('--json', 'print every journal event as one line of JSON')
      .addOption(workspaceOption())
      .addOption(approveOption())
      .option('--quiet', 'no progress and no summary'),
  ).action(done(async () => (await import('../commands/history/fork.ts')).fork));
}

function diffCommand(cli: Command, done: CommandRunner): void {
  storeOption(
    cli
      .command('diff')
      .description('show the step at which two runs part, and the outcome of each')
      .argument('<left>', 'a run: its id, the beginning of it, or "last"')
      .argument('<right>', 'the other')
      .option('--json', 'as JSON'),
  ).action(done(async () => (await import('../commands/history/diff.ts')).diff));
}

function pruneCommand(runs: Command, done: CommandRunner): void {
  storeOption(
    runs
      .command('prune')
      .description('remove old runs, and the texts that only they used')
      .option('--older-than <time>', 'the time since their end: 30d (the default), 12h, 0s')
      .option('--keep <count>', 'keep this many of the newest, however old')
      .option('--outcome <outcome>', 'only those with this outcome, or "broken-off"; may be repeated', collect)
      .option('--dry-run', 'only list the runs that would be removed')
      .option('--json', 'as JSON'),
  ).action(done(async () => (await import('../commands/runs/prune.ts')).prune));
}
