// The arguments of the commands about runs and their records.

import type { Command } from 'commander';
import { didYouMean } from '../../base/text/nearest.ts';
import { backgroundCommands } from './background-commands.ts';
import { approveOption, type CommandRunner, collect, storeOption, workspaceOption } from './command-options.ts';
import { whatIfCommands } from './what-if.ts';

export function runCommands(cli: Command, done: CommandRunner): void {
  const runs = runsCommand(cli, done);
  showCommand(cli, done);
  undoCommand(cli, done);
  resumeCommand(cli, done);
  replayCommand(cli, done);
  approvalsCommand(cli, done);
  approveCommand(cli, done);
  noteCommand(cli, done);
  whatIfCommands(cli, runs, done);
  backgroundCommands(runs, done);
}

/** The commands about background runs, and prune, stand under the command that is returned. */
function runsCommand(cli: Command, done: CommandRunner): Command {
  return storeOption(
    cli
      .command('runs')
      .description('list runs, newest first')
      .argument('[list]', 'may be left out')
      .option('--json', 'as JSON')
      .option('--limit <count>', 'the number of runs (20)')
      .option('--sizes', 'also show their sizes')
      .option('--agent <name>', 'only those that asked this agent')
      .option('--label <name>', 'only those with this label')
      .option('--thread <thread>', 'only those of this conversation')
      .option('--outcome <outcome>', 'only those with this outcome, or "broken-off"; may be repeated', collect)
      .option('--text <text>', 'only those whose input contains this text')
      .option('--since <time>', 'only those started within this time (2h, 7d), or since a date')
      .option('--waiting', 'only those that wait for a person')
      .option('--spent', 'the sums of what they spent')
      .option('--by <words>', 'with --spent: a row for each day, hour, agent or model, as in day,agent (day)')
      .option('--zone <zone>', 'with --spent: the time zone of days, as in Europe/Berlin (that of this machine)')
      .option('--mark <mark>', 'only those that a person marked as good, or as bad'),
  ).action((word: string | undefined, options: unknown, command: Command) => {
    if (word !== undefined && word !== 'list') {
      const known = ['list', ...command.commands.map((one) => one.name())];
      command.error(`error: unknown command "runs ${word}". Known are: ${known.join(', ')}.${didYouMean(word, known)}`);
    }
    return done(async () => (await import('../commands/runs/runs.ts')).runs)(options, command);
  });
}

function showCommand(cli: Command, done: CommandRunner): void {
  storeOption(
    cli
      .command('show')
      .description('show a run: its tree, its ledger, its conversations, or why it answered')
      .argument('[run]', 'its id, the beginning of it, or "last"', 'last')
      .option('--json', 'all of it as JSON')
      .option('--follow', 'attach to it until it ends, in any process; Ctrl+C leaves')
      .option('--tree', 'only the tree')
      .option('--ledger', 'every model call on one line, and the totals')
      .option('--transcript [session]', 'the conversations of all sessions, or of one')
      .option('--why [op]', 'why it answered as it did, or what led to one op')
      .option('--prompt <agent>', 'what its prompt is made of, with tokens: now, or in a run that is named')
      .option('--team', 'the talk of its teams, and who heard it when')
      .option('--changes', 'the diff of the files that it changed')
      .option('--compactions', 'what was summed up to make room, and which turns read it back')
      .option('--save-test <file>', 'make a test of it: its input, a recording, and its expectations'),
  ).action((run: string, options: unknown, command: Command) => {
    const asked = command.args.length === 0 ? undefined : run;
    return done(async () => (await import('../commands/history/show.ts')).showCommand)(asked, options, command);
  });
}

function undoCommand(cli: Command, done: CommandRunner): void {
  storeOption(
    cli
      .command('undo')
      .description('take back the changes of a run in files, if nothing else has changed them since')
      .argument('[run]', 'its id, the beginning of it, or "last"', 'last')
      .argument('[op]', 'only the changes of this op, or those below it')
      .option('--dry-run', 'only print the plan')
      .option('--workspace <folder>', 'the folder of the files that the run changed, if that is not here')
      .option('--json', 'as JSON'),
  ).action(done(async () => (await import('../commands/history/undo.ts')).undo));
}

function resumeCommand(cli: Command, done: CommandRunner): void {
  storeOption(
    cli
      .command('resume')
      .description('resume a run that was broken off; no finished call is made again')
      .argument('[run]', 'its id, the beginning of it, or "last"', 'last')
      .option('--json', 'print every journal event as one line of JSON')
      .addOption(workspaceOption())
      .addOption(approveOption())
      .option('--pinned-config', 'also use entries that only the recorded cadre.yaml has, and not that of today')
      .option('--quiet', 'no progress and no summary')
      .option('--verbose', 'also list the steps of a script that were not used')
      .option('--take-over', 'even if another process holds it: that process can no longer write'),
  ).action(done(async () => (await import('../commands/history/resume.ts')).resume));
}

function replayCommand(cli: Command, done: CommandRunner): void {
  storeOption(
    cli
      .command('replay')
      .description('repeat a run on its recorded answers, and say if anything differs')
      .argument('[run]', 'its id, the beginning of it, or "last"', 'last')
      .option('--pinned', 'use the agent texts that the run began with, not those of today'),
  ).action(done(async () => (await import('../commands/history/replay.ts')).replayCommand));
}

function approvalsCommand(cli: Command, done: CommandRunner): void {
  storeOption(
    cli
      .command('approvals')
      .description('list the calls and questions that wait for a person, in any run')
      .option('--json', 'as JSON'),
  ).action(done(async () => (await import('../commands/approve.ts')).approvals));
}

function approveCommand(cli: Command, done: CommandRunner): void {
  storeOption(
    cli
      .command('approve')
      .description('answer a call or a question that waits for a person')
      .argument('<run>', 'its id, the beginning of it, its label, or "last"')
      .argument('[op]', 'the op that waits, if there are several')
      .option('--deny', 'the answer is no')
      .option('--rest', 'the answer is yes, also to the same question for the rest of the run')
      .option('--answer <text>', 'the answer to a question; a number stands for the option of that number')
      .option('--note <text>', 'why; the agent reads it if the answer is no')
      .option(
        '--seen <digest>',
        'the digest of the question that you saw, as cadre approvals prints it: refused if the op asks for something else',
      ),
  ).action(done(async () => (await import('../commands/approve.ts')).approve));
}

function noteCommand(cli: Command, done: CommandRunner): void {
  storeOption(
    cli
      .command('note')
      .description('mark a run as good or bad, or show the marks on it')
      .argument('<run>', 'its id, the beginning of it, its label, or "last"')
      .option('--good [why]', 'the answer is good')
      .option('--bad [why]', 'the answer is bad')
      .option('--none', 'take your mark back')
      .option('--json', 'as JSON'),
  ).action(done(async () => (await import('../commands/history/note.ts')).note));
}
