// The arguments of the commands about background runs. They stand under `cadre runs`.

import { type Command } from 'commander';
import { type CommandRunner, collect, storeOption, workspaceOption } from './command-options.ts';

const RUN = 'its id, the beginning of it, its label, or the id of a run that it spawned';

export function backgroundCommands(runs: Command, done: CommandRunner): void {
  spawnCommand(runs, done);
  statusCommand(runs, done);
  waitCommand(runs, done);
  stopCommand(runs, done);
  cancelCommand(runs, done);
  sendCommand(runs, done);
  workCommand(runs, done);
}

function spawnCommand(runs: Command, done: CommandRunner): void {
  storeOption(
    runs
      .command('spawn')
      .description('start a run in the background, and print its id')
      .argument('<agent>', 'path of an agent file, or the name of an agent of this folder')
      .argument('<task>', 'the request')
      .option('--dir <folder>', 'the folder of the agent')
      .addOption(workspaceOption())
      .option('--label <name>', 'a name for it')
      .option('--after <run>', 'start only after this run, by id or label; may be repeated', collect)
      .option('--include-result', 'put the results of those runs before the task')
      .option('--on-failure <what>', 'if one of them does not answer: abort (the default) or continue')
      .option('--after-timeout <time>', 'the time to wait for them (30m)')
      .option('--context <json>', 'the context that it shares: a JSON object')
      .option('--json', 'the receipt as JSON'),
  ).action(done(async () => (await import('../commands/runs/runs-spawn.ts')).runsSpawn));
}

function statusCommand(runs: Command, done: CommandRunner): void {
  storeOption(
    runs.command('status').description('show the state of runs').argument('<run...>', RUN).option('--json', 'as JSON'),
  ).action(done(async () => (await import('../commands/runs/runs-status.ts')).runsStatus));
}

function waitCommand(runs: Command, done: CommandRunner): void {
  storeOption(
    runs
      .command('wait')
      .description('wait until runs have ended')
      .argument('<run...>', RUN)
      .option('--mode <mode>', 'the number to wait for: all (the default), any, or a number')
      .option('--timeout <time>', 'give up after this time, with exit code 5')
      .option('--json', 'as JSON'),
  ).action(done(async () => (await import('../commands/runs/runs-status.ts')).runsWait));
}

function stopCommand(runs: Command, done: CommandRunner): void {
  storeOption(
    runs
      .command('stop')
      .description('ask a run for its final answer; nothing new begins in it')
      .argument('<run>', RUN)
      .option('--reason <text>', 'why, for the record'),
  ).action(done(async () => (await import('../commands/runs/runs-reach.ts')).runsStop));
}

function cancelCommand(runs: Command, done: CommandRunner): void {
  storeOption(
    runs
      .command('cancel')
      .description('end a run and all that it spawned; returns when it has ended')
      .argument('<run>', RUN)
      .option('--reason <text>', 'why, for the record'),
  ).action(done(async () => (await import('../commands/runs/runs-reach.ts')).runsCancel));
}

function sendCommand(runs: Command, done: CommandRunner): void {
  storeOption(
    runs
      .command('send')
      .description('send a message to a run, which reads it before its next turn')
      .argument('<run>', RUN)
      .argument('<message>', 'the text of the message'),
  ).action(done(async () => (await import('../commands/runs/runs-reach.ts')).runsSend));
}

function workCommand(runs: Command, done: CommandRunner): void {
  storeOption(runs.command('work', { hidden: true }).argument('<run>')).action(
    done(async () => (await import('../commands/runs/runs-work.ts')).runsWork),
  );
}
