// The tool source `shell`: run_command, in the workspace. Every call asks a person unless `trust` names it; with
// `shell.allow` in cadre.yaml only these commands are run at all.
// SHELL-1. A command that is plain (`shellWords`) is run with exactly the words that it was judged by. Any other is run only
//     where no list of allowed commands is given, and never counts as trusted by a pattern.
// SHELL-2. It gets an environment that is made here. None of our variables reaches it but those of the list.
// SHELL-3. A call in doubt is never made again, unless it judges an answer: a loop's command has to bear that.
// SHELL-4. A command that a person approved runs in the sandbox that the person saw, or not at all: a run may be resumed on
//     another machine.

import { realpath } from 'node:fs/promises';
import { pathOutside } from '../../base/disk/find-command.ts';
import { isCommandOf, quotedWords, refusedWord, shellWords } from '../../base/text/shell-words.ts';
import { durationText, size } from '../../base/text/words.ts';
import type { CallResult, Preview } from '../../kernel/approval.ts';
import { fail } from '../../kernel/fault.ts';
import { errorResult, okResult, type ToolResult } from '../../kernel/message.ts';
import { environmentFor } from '../environment.ts';
import { objectInput } from '../object-input.ts';
import type { ProcessGroup } from '../process-group.ts';
import type { Tool, ToolContext, ToolSource } from '../tool.ts';
import { inGuards } from './in-guards.ts';
import { MOST_OUTPUT } from './output.ts';
import { type CommandStory, runCommand } from './run-command.ts';
import { findSandbox, type SandboxState, sandboxArguments } from './sandbox.ts';

export interface ShellSettings {
  /** The commands that may be run. Absent: any. */
  readonly allow?: readonly string[];
  readonly sandbox: 'auto' | 'required' | 'off';
  readonly network: boolean;
}

export interface ShellPlace {
  readonly workspace: string;
  /** Absolute paths of Cadre's own files and folders, which a command in a sandbox cannot write to. */
  readonly guarded: readonly string[];
  /** Those of them that Cadre reads in its next run: what a command makes there is set aside. */
  readonly watched?: readonly string[];
  /** Absolute paths of folders that a sandbox shows empty. */
  readonly secret?: readonly string[];
  /** Paths that it can write to although they would be closed, relative to the workspace. */
  readonly allow?: readonly string[];
}

interface CommandInput {
  readonly command: string;
  readonly timeout_seconds?: number;
}

const LONGEST_COMMAND = 20_000;
const USUAL_SECONDS = 120;
const MOST_SECONDS = 3600;
/** Kept back of the time that a call may take, so that a command that is late can still say what it wrote. */
const SLACK_MS = 3000;

export function shellSource(settings: ShellSettings, place: ShellPlace): ToolSource {
  const groups = new Set<ProcessGroup>();
  let found: Promise<SandboxState> | undefined;
  const sandbox = (): Promise<SandboxState> => {
    const path = pathOutside(place.workspace, process.env['PATH']);
    found ??= settings.sandbox === 'off' ? Promise.resolve(SWITCHED_OFF) : findSandbox(path);
    return found;
  };
  const tool = commandTool({ settings, place, sandbox, groups, told: new Set() });
  return {
    name: 'shell',
    async tools() {
      if (process.platform === 'win32') fail('tool/source', 'shell needs /bin/sh, which this system does not have.');
      const state = await sandbox();
      if (state.kind === 'none' && settings.sandbox === 'required')
        fail('tool/source', `cadre.yaml says shell.sandbox: required, and ${state.why}. ${WAY_OUT}`);
      return [tool];
    },
    async close() {
      await Promise.all([...groups].map((group) => (group.kill(), group.stop())));
    },
  };
}

const SWITCHED_OFF: SandboxState = { kind: 'none', why: 'cadre.yaml says shell.sandbox: off' };
const WAY_OUT = 'Install bubblewrap (Debian: apt install bubblewrap), or write sandbox: auto to do without.';

interface ShellParts {
  readonly settings: ShellSettings;
  readonly place: ShellPlace;
  readonly sandbox: () => Promise<SandboxState>;
  readonly groups: Set<ProcessGroup>;
  /** The runs whose model was told that there is no sandbox. */
  readonly told: Set<string>;
}

function commandTool(parts: ShellParts): Tool {
  const { allow } = parts.settings;
  return {
    spec: {
      name: 'run_command',
      description:
        'Runs a command in the workspace with /bin/sh, waits until it ends, and gives its exit code and what it wrote. Its ' +
        'stdin is closed. What it leaves running in the background is ended with it.' +
        (allow === undefined ? '' : ` Only these commands may be run, each as one plain command: ${allow.join('; ')}.`),
      parameters: objectInput(
        {
          command: { type: 'string', minLength: 1, maxLength: LONGEST_COMMAND, description: 'The command.' },
          timeout_seconds: {
            type: 'integer',
            minimum: 1,
            maximum: MOST_SECONDS,
            description: `When it is ended if it is still running. Default: ${USUAL_SECONDS}.`,
          },
        },
        ['command'],
      ),
    },
    repeat: 'never', // SHELL-3
    asks: 'unless-trusted',
    async preview(input) {
      const { command } = input as CommandInput;
      judge(command, parts.settings);
      const { workspace, network } = { ...parts.place, ...parts.settings };
      return {
        kind: 'command',
        command,
        cwd: workspace,
        sandbox: sandboxWords(await parts.sandbox(), network),
        rest: { key: sameCommand(command), words: 'with exactly this command' },
        basis: basisOf(await parts.sandbox(), network),
      } satisfies Preview;
    },
    compared: (input) => ({ kind: 'command', command: (input as CommandInput).command }), // SHELL-1
    execute: (input, context) => execute(input as CommandInput, context, parts),
  };
}

/** Throws if the command may not be run at all. */
function judge(command: string, { allow }: ShellSettings): void {
  if (command.includes('\0')) fail('tool/failed', 'That is not a usable command.');
  if (allow === undefined || isCommandOf(allow, command)) return;
  const parsed = shellWords(command);
  const word = refusedWord(allow, command);
  const why =
    'problem' in parsed
      ? ` It is not one plain command: ${parsed.problem}.`
      : word === undefined
        ? ''
        : ` After git, * does not stand for ${word}, which may run or write something.`;
  fail('tool/failed', `This command is not allowed, and was not run.${why} Allowed are: ${allow.join('; ')}.`);
}

/** Spaces and quotes apart, the same words are the same command. Anything else is the same only if it is written alike. */
function sameCommand(command: string): string {
  const parsed = shellWords(command);
  return 'words' in parsed ? quotedWords(parsed.words) : command;
}

const basisOf = ({ kind }: SandboxState, network: boolean): string =>
  kind === 'none' ? 'without a sandbox' : `in a sandbox ${network ? 'with' : 'without'} network`;

function sandboxWords(state: SandboxState, network: boolean): string {
  if (state.kind === 'none') return `without a sandbox: ${state.why}. It can do whatever you can do.`;
  return `in a sandbox: it can write in the workspace and its own /tmp alone, ${network ? 'with' : 'without'} network`;
}

async function execute(input: CommandInput, context: ToolContext, parts: ShellParts): Promise<ToolResult> {
  const { command } = input;
  judge(command, parts.settings);
  const { timeoutMs: most = Infinity, judges = false } = context;
  const wanted = judges ? most : (input.timeout_seconds ?? USUAL_SECONDS) * 1000;
  const timeoutMs = Math.max(1, Math.min(wanted, most - Math.min(SLACK_MS, most / 2)));
  const state = await parts.sandbox();
  if (context.basis !== undefined && context.basis !== basisOf(state, parts.settings.network))
    fail(
      'tool/failed',
      'The sandbox here is not the one that the person saw, so the command was not run. Call it again.',
    ); // SHELL-4
  const workspace = await realpath(parts.place.workspace).catch(() => undefined);
  if (workspace === undefined)
    return fail('tool/failed', `The workspace ${parts.place.workspace} is not there any more.`);
  const order = {
    timeoutMs,
    signal: context.signal,
    redactor: context.redactor,
    progress: (line: string) => context.progress(line),
    groups: parts.groups,
  };
  const shell = { command: '/bin/sh', args: ['-c', scriptOf(command)] };
  const env = environment(workspace, state.kind === 'bubblewrap');
  if (state.kind === 'none') {
    const story = await runCommand({ ...order, command: { ...shell, env, cwd: workspace } });
    return judges
      ? verdictOf(story, timeoutMs, '')
      : resultOf(story, timeoutMs, firstNote(state, context.callKey, parts));
  }
  return inGuards(workspace, parts.place, async ({ readOnly, afterKill }) => {
    const { network } = parts.settings;
    const { secret = [] } = parts.place;
    const inside = await sandboxArguments({ workspace, network, readOnly, home: env['HOME'], secret });
    const args = [...inside, shell.command, ...shell.args];
    const story = await runCommand({
      ...order,
      command: { command: state.program, args, env, cwd: workspace, afterKill },
    });
    return (aside) => (judges ? verdictOf : resultOf)(story, timeoutMs, asideNote(aside));
  });
}

/** SHELL-1. */
function scriptOf(command: string): string {
  const parsed = shellWords(command);
  return 'words' in parsed ? quotedWords(parsed.words) : command;
}

const asideNote = (paths: readonly string[]): string =>
  paths.length === 0
    ? ''
    : `\n\n[Commands do not change ${paths.join(', ')}, because it decides what runs later. What was made there was set aside as ….set-aside.]`;

/** SHELL-2. Programs in the workspace are not found by their name: an agent may have written them. */
function environment(workspace: string, isSandboxed: boolean): Record<string, string> {
  const env = environmentFor({
    TERM: 'dumb',
    NO_COLOR: '1',
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
    ...(isSandboxed && { TMPDIR: '/tmp', npm_config_cache: '/tmp/npm', XDG_CACHE_HOME: '/tmp/cache' }),
  });
  return { ...env, PATH: pathOutside(workspace, env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin') };
}

/** The number of runs that are remembered: a model that is told twice is told the truth twice. */
const REMEMBERED = 1000;

/** Tells the model of a run once that its commands have no sandbox. */
function firstNote(state: SandboxState, callKey: string, { settings, told }: ShellParts): string {
  const [run = ''] = callKey.split('/', 1);
  if (state.kind !== 'none' || settings.sandbox === 'off' || told.has(run)) return '';
  if (told.size >= REMEMBERED) told.clear();
  told.add(run);
  return `\n\n[Commands run here without a sandbox: ${state.why}.]`;
}

/** A command that ran is good with exit code 0. One that never ran, or was stopped, says nothing about the answer. */
function verdictOf(story: CommandStory, timeoutMs: number, note: string): ToolResult & Pick<CallResult, 'judged'> {
  const { end, output } = story;
  if (end.kind === 'aborted' || end.kind === 'not-started') return resultOf(story, timeoutMs, note);
  const good = end.kind === 'exit' && end.code === 0;
  const text = (output + note).trimStart();
  return { ...okResult(text), judged: { good, end: endWords(end, timeoutMs) } };
}

/** Without the time that it took: the session hears the same of the same output. */
function endWords(end: CommandStory['end'], timeoutMs: number): string {
  switch (end.kind) {
    case 'exit':
      return `exit code ${end.code}`;
    case 'signal':
      return `ended by ${end.name}`;
    case 'late':
      return `did not end within ${durationText(timeoutMs)}, and was ended with what it had started`;
    case 'too-much':
      return `wrote more than ${size(MOST_OUTPUT)}, and was ended`;
    default:
      return 'stopped';
  }
}

function resultOf({ end, output, ms }: CommandStory, timeoutMs: number, note: string): ToolResult {
  const took = durationText(Math.round(ms));
  const wrote = output === '' ? '' : `\n${output}`;
  switch (end.kind) {
    case 'exit': {
      const text = `exit code ${end.code}, ${took}${output === '' ? ', no output' : wrote}${note}`;
      return end.code === 0 ? okResult(text) : errorResult(text);
    }
    case 'signal':
      return errorResult(`The command was ended by ${end.name} after ${took}.${wrote}${note}`);
    case 'late':
      return errorResult(
        `The command did not end within ${durationText(timeoutMs)}. It was ended, with what it had started.${wrote}${note}`,
      );
    case 'too-much':
      return errorResult(`The command wrote more than ${size(MOST_OUTPUT)} and was ended.${wrote}${note}`);
    case 'aborted':
      return errorResult(`The command was stopped after ${took}.${wrote}`);
    case 'not-started':
      return errorResult(`The command could not be started: ${end.why}${note}`);
  }
}
