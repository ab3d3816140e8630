// The rule about `*` in patterns of commands: after a program that writes files or runs others, any words are any command.

import { basename } from 'node:path/posix';
import { commandPattern, isCommandOf } from '../../../base/text/shell-words.ts';
import { parseCallRule, parseCallRules } from '../../../rules/call-rule.ts';
import { matchesWidely } from '../../../rules/compared-call.ts';
import type { LinkedAgent } from '../../link/define.ts';
import { type Checkup, forConfig, forEachEntry } from './checkup.ts';
import { fullName, meansAllOf } from './rule-names.ts';

/** The reasons why a `*` after these programs is more than it seems. */
const REASONS: readonly (readonly [programs: string, reason: string])[] = [
  ['sh bash dash zsh fish ksh busybox', 'a shell runs what its words say (-c)'],
  [
    'node deno bun tsx ts-node python python3 perl ruby php lua Rscript osascript',
    'it runs the program in its words (-e, -c)',
  ],
  [
    'env nohup nice timeout time setsid stdbuf sudo doas su watch strace script xargs parallel',
    'it runs the command in its words',
  ],
  [
    'npx npm pnpm yarn bunx uvx uv pipx',
    'it runs scripts and packages, and takes options that name a program (--script-shell)',
  ],
  [
    'pip pip3 gem cargo go mvn gradle make cmake just rake composer dotnet',
    'it runs what its words and its files name',
  ],
  ['find fd', 'it runs commands and deletes files (-exec, -delete)'],
  ['sed', 'it writes files and runs commands (-i, and w and e in a script)'],
  ['awk gawk mawk', 'its programs write files and run commands (system)'],
  ['tar zip unzip 7z', 'it writes files, and runs commands (--to-command, --checkpoint-action, -TT)'],
  ['rsync scp ssh sftp', 'it runs commands, here and elsewhere (-e, -o ProxyCommand)'],
  [
    'git',
    'its commands run hooks and filters, change files and send them; * leaves out only options that run or write',
  ],
  ['gh hg svn', 'it runs aliases, hooks and editors, and sends files'],
  ['docker podman kubectl', 'it runs what its words say, with folders of this machine'],
  ['tee dd cp mv ln install truncate rm chmod chown patch', 'it writes, moves or removes the files in its words'],
  ['curl wget', 'it writes files (-o) and sends them'],
  ['vi vim nvim emacs ed ex nano less more man', 'it runs commands from within'],
  ['gcc cc clang ld gdb lldb', 'it writes files and runs other programs'],
  ['sort', 'it writes files (-o) and runs a program (--compress-program)'],
  ['rg', 'it runs a program for each file (--pre)'],
];

const REASON_OF = new Map(REASONS.flatMap(([programs, reason]) => programs.split(' ').map((one) => [one, reason])));

function starProblem(pattern: string) {
  const parsed = commandPattern(pattern);
  if ('problem' in parsed || !parsed.more) return undefined;
  const program = basename(parsed.words[0] ?? '');
  const reason = REASON_OF.get(program);
  if (reason === undefined) return undefined;
  return {
    code: 'shell/open-command',
    severity: 'warning' as const,
    message: `"${pattern}" lets ${program} do more than it says: ${reason}`,
    help: 'Write out the commands that are meant, without *, or leave it out, so that a person is asked.',
  };
}

const SHELL: ReadonlySet<string> = new Set(['shell', 'shell/run_command', 'run_command']);

/** The reason why an agent can never run this command. */
export function commandProblem(command: string, { definition }: LinkedAgent, { config: { config } }: Checkup) {
  const written = JSON.stringify(command);
  const { allow } = config.shell ?? {};
  if (allow !== undefined && !isCommandOf(allow, command))
    return {
      message: `${written} is not one of the commands of \`shell.allow\` in cadre.yaml`,
      help: `Add it there, or write one of: ${allow.join('; ')}.`,
    };
  const call = { kind: 'command', command } as const;
  const denied = parseCallRules(definition.deny).find(
    (rule) => meansAllOf(fullName(rule.name, config), 'shell') && matchesWidely(rule, call),
  );
  if (denied === undefined) return undefined;
  return {
    message: `the rule "${denied.entry}" under \`deny\` forbids ${written}`,
    help: 'Write a command that it does not forbid, or take the rule away.',
  };
}

/** Entries of `trust` run without asking. */
export const trustedCommandsAreClosed = forEachEntry('trust', (entry) => {
  const { name = '', inBrackets } = parseCallRule(entry) ?? {};
  return SHELL.has(name) && inBrackets !== undefined ? starProblem(inBrackets) : undefined;
});

/** Entries of `shell.allow` mean that no other commands run. */
export const allowedCommandsAreClosed = forConfig(({ shell }, placeAt, { report }) => {
  for (const [index, pattern] of (shell?.allow ?? []).entries()) {
    const problem = starProblem(pattern);
    if (problem !== undefined) report({ ...problem, ...placeAt(['shell', 'allow', index]) });
  }
});
