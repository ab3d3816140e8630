// The commands about agents and their files.

import type { Command } from 'commander';
import { approveOption, type CommandRunner, collect, storeOption, workspaceOption } from './command-options.ts';

export function agentCommands(cli: Command, done: CommandRunner): void {
  initCommand(cli, done);
  runCommand(cli, done);
  chatCommand(cli, done);
  checkCommand(cli, done);
  graphCommand(cli, done);
  newCommand(cli, done);
  testCommand(cli, done);
  importCommand(cli, done);
  toolsCommand(cli, done);
  modelsCommand(cli, done);
}

function initCommand(cli: Command, done: CommandRunner): void {
  cli
    .command('init')
    .description('write a first agent and its cadre.yaml, with a model that is found on this machine')
    .argument('[folder]', 'the folder', '.')
    .option('--model <model>', 'provider/model, instead of what is found')
    .action(done(async () => (await import('../commands/agents/init.ts')).init));
}

function runCommand(cli: Command, done: CommandRunner): void {
  storeOption(
    cli
      .command('run')
      .description('run an agent, and print its answer')
      .argument('<agent>', 'path of an agent file, or the name of an agent of this folder')
      .argument('[input]', 'the request; "-" or nothing reads it from a pipe')
      .option('--file <file>', 'a text, picture or PDF that goes with the input; may be repeated', collect)
      .option('--dir <folder>', 'the folder of the agent')
      .option('--json', 'print every journal event as one line of JSON')
      .option('--output <format>', 'the format of the answer: json, text or markdown')
      .option('--schema <file>', 'the JSON Schema that a JSON answer must satisfy')
      .option('--stop-after <agent>', 'end the run after this stage of a chain, for debugging')
      .addOption(workspaceOption())
      .addOption(approveOption())
      .option(
        '--detach',
        'run it in the background, and print the id of the run; calls that need a yes wait for cadre approve',
      )
      .option('--label <name>', 'a name for the run')
      .option('--save-test <file>', 'make a test of the run: its input, a recording, and its expectations')
      .option('--quiet', 'no progress and no summary')
      .option('--verbose', 'also list the steps of a script that were not used'),
  )
    .addHelpText('after', '\nOnly exit code 0 means that the run answered. See: cadre help exit-codes')
    .action(done(async () => (await import('../commands/run.ts')).run));
}

function chatCommand(cli: Command, done: CommandRunner): void {
  storeOption(
    cli
      .command('chat')
      .description('talk with an agent: each message continues the conversation')
      .argument('<agent>', 'path of an agent file, or the name of an agent of this folder')
      .option('--thread <id>', 'continue an earlier conversation: its id, the beginning of it, or "last"')
      .option('--dir <folder>', 'the folder of the agent')
      .addOption(workspaceOption())
      .addOption(approveOption())
      .option('--quiet', 'no progress and no summary'),
  )
    .addHelpText(
      'after',
      '\nIn a terminal /help lists the commands. In a pipe each line is a message, and one that ends with \\ goes on in ' +
        'the next;\nthe answers go to stdout with an empty line between them, and the first failure ends the chat.',
    )
    .action(done(async () => (await import('../commands/chat.ts')).chat));
}

function checkCommand(cli: Command, done: CommandRunner): void {
  cli
    .command('check')
    .description('check a folder of agents, and list every finding before a token is spent')
    .argument('[folder]', 'folder or agent file', '.')
    .option('--json', 'findings as JSON')
    .option('--github', 'findings as annotations for GitHub')
    .option('--deep', 'also look at scripts, recordings, variables, prices, functions and MCP servers, which it starts')
    .option('--bound', 'the most model calls that the limits allow below each agent')
    .action(done(async () => (await import('../commands/agents/check.ts')).check));
}

function graphCommand(cli: Command, done: CommandRunner): void {
  cli
    .command('graph')
    .description('print the graph of agents: which one may lead to which')
    .argument('[folder]', 'folder or agent file', '.')
    .option('--format <format>', 'text, mermaid, dot, svg or json')
    .option('-o, --out <file>', 'write it to a file, in the format of its ending')
    .action(done(async () => (await import('../commands/agents/graph.ts')).graph));
}

function newCommand(cli: Command, done: CommandRunner): void {
  cli
    .command('new')
    .description('write a file for a new agent')
    .argument('<name>', 'the name of the agent')
    .option('--dir <folder>', 'the folder of the file', '.')
    .option('--short', 'with the keys that most agents have (the default)')
    .option('--full', 'with every key, its value and its guidance')
    .option('--print', 'print it instead of writing a file')
    .action(done(async () => (await import('../commands/agents/new.ts')).newAgent));
}

function testCommand(cli: Command, done: CommandRunner): void {
  storeOption(
    cli
      .command('test')
      .description('run the tests of agents: every *.test.yaml file')
      .argument('[places...]', 'folders or test files; this folder if none is named')
      .option('--only <text>', 'only cases whose name holds this text')
      .option('--models <names>', 'run every case with each of these models for all agents, and compare them: a,b')
      .option('--alone', 'run every case also with one agent in the place of its team, and compare them')
      .option('--times <count>', 'run every case so often, with --live, and compare the shares')
      .option('--live', 'models may be called over a network; recordings get the answers that they lack')
      .option('--update', 'keep the answers of cases with a snapshot')
      .option('--watch', 'run them again when a file changes')
      .option('--list', 'only list the cases, and the models that answer in them')
      .option('--json', 'results as JSON')
      .option('--junit <file>', 'also write the results as JUnit XML')
      .option('--at-once <count>', 'cases at the same time; 16 by default')
      .option('--keep', 'keep the runs of cases that passed, too')
      .option('--no-keep', 'keep neither the result nor the runs of failed cases in the store')
      .option(
        '--results [id]',
        'run nothing, and show results that are kept: all, or this one (an id, its beginning, last)',
      ),
  )
    .addHelpText(
      'after',
      '\nThe exit code is 0 if no case failed. Cases that would call a network are skipped without --live.',
    )
    .action(done(async () => (await import('../commands/agents/test.ts')).test));
}

function importCommand(cli: Command, done: CommandRunner): void {
  cli
    .command('import')
    .description('take over agents of another tool, such as those in .claude/agents, into this folder')
    .argument('<path>', 'the folder of these agents, or one file of them')
    .option(
      '--from <tool>',
      'read every file as claude, copilot, opencode, gemini, codex, docker, goose or netdata writes it',
    )
    .option('--to <folder>', 'the folder they are written to, in this folder (agents)')
    .option('--model <model>', 'provider/model that the short names of models stand for (those of Anthropic)')
    .option('--dry-run', 'print the plan, and write nothing')
    .option('--allow-loss', 'exit code 0 also where an agent loses a tool, a restriction, a reference or a schema')
    .option('--json', 'the result as JSON')
    .action(done(async () => (await import('../commands/agents/import.ts')).importPath));
}

function toolsCommand(cli: Command, done: CommandRunner): void {
  cli
    .command('tools')
    .description('list every tool that an agent would have, with its source and the approval that it needs')
    .argument('[agent]', 'path of an agent file, or the name of an agent of this folder; all of them if none is named')
    .option('--dir <folder>', 'the folder of the agents')
    .option('--connect', 'also start MCP servers and load functions, and list their tools')
    .option('--json', 'as JSON')
    .action(done(async () => (await import('../commands/agents/tools.ts')).tools));
}

function modelsCommand(cli: Command, done: CommandRunner): void {
  cli
    .command('models')
    .description('show the models that each agent would use, and which of them are ready')
    .argument('[folder]', 'folder or agent file', '.')
    .option('--json', 'as JSON')
    .action(done(async () => (await import('../commands/agents/models.ts')).models));
}
