// A command as the judge of a loop: a call of `run_command` that the pattern makes itself. It asks once, before anything of
// the agent begins; the yes holds for every round, in the sandbox that the person saw.

import { ASKED_FIRST, approvalPrompt, type Preview } from '../../kernel/approval.ts';
import { perform, type Routine } from '../../kernel/effect.ts';
import { type Fault, fault } from '../../kernel/fault.ts';
import type { ToolCall } from '../../kernel/message.ts';
import { type BrokenOutcome, brokenOutcome } from '../../kernel/outcome.ts';
import { fenceData } from '../fence.ts';
import type { PatternContext, Wrap } from '../pattern.ts';
import { commandWords } from './command-words.ts';
import { isCommand, type RepeatConfig } from './key.ts';

/** The tool as agent files write it. The agent need not have it. */
export const COMMAND_TOOL = 'shell/run_command';

export const judgingCall = (command: string, round: number): ToolCall => ({
  id: `judge-${round + 1}`,
  name: 'run_command',
  arguments: { command },
});

/** Asks about the command before advisors, a team or the session begin. */
export const askFirst =
  ({ until, max }: RepeatConfig, context: PatternContext): Wrap =>
  (inner) =>
    isCommand(until)
      ? function* (input) {
          const answer = yield* askAbout(until.command, max, context);
          return 'kind' in answer ? answer : yield* inner({ ...input, judgeBasis: answer.basis });
        }
      : inner;

function* askAbout(
  command: string,
  of: number,
  { agent }: PatternContext,
): Routine<
  | {
      /** The state that the person saw. Absent if nobody had to be asked. */
      readonly basis?: string;
    }
  | BrokenOutcome
> {
  const call = judgingCall(command, 0);
  const trigger = { kind: 'judge', of };
  const looked = yield* perform<'preview'>({ kind: 'preview', agent, call, source: COMMAND_TOOL, trigger });
  if (!looked.ok) return unasked(looked.fault, agent);
  const answer = looked.value;
  switch (answer.kind) {
    case 'trusted':
    case 'free':
      return {};
    case 'shown':
      return yield* askPerson(call, { agent, of }, answer.preview);
    case 'asks':
      return yield* askPerson(call, { agent, of });
    case 'denied':
      return unasked(fault('tool/denied', `The rule "${answer.by}" under deny forbids ${judgeOf(command)}.`), agent);
    case 'refused':
      return unasked(fault('repeat/judge', `${judgeOf(command)} cannot be run: ${answer.text}`), agent);
  }
}

function* askPerson(
  call: ToolCall,
  { agent, of }: { readonly agent: string; readonly of: number },
  preview?: Preview,
): Routine<
  | {
      /** The state that the person saw. Absent if nobody had to be asked. */
      readonly basis?: string;
    }
  | BrokenOutcome
> {
  const about = { ...call, source: COMMAND_TOOL, ...(preview && { preview }) };
  const prompt = `${approvalPrompt(agent, about)} to judge its answers, ${of === 1 ? 'once' : `up to ${of} times`}`;
  const asked = yield* perform<'approval'>({ kind: 'approval', prompt, about });
  if (!asked.ok) return unasked(asked.fault, agent);
  const { approved, note = 'nobody said yes to it' } = asked.value;
  if (approved) return { basis: preview?.basis ?? ASKED_FIRST };
  const { command } = call.arguments as { readonly command: string };
  return unasked(fault('tool/denied', `${judgeOf(command)} was not approved: ${note}`), agent);
}

const unasked = (why: Fault, agent: string): BrokenOutcome => ({ ...brokenOutcome({ ...why, stage: agent }), agent });

const judgeOf = (command: string): string => `the command that judges the answers (${commandWords(command)})`;

/** The text for the session after a no: the end of the output as data, and the way to the rest. */
export function commandFeedback(
  command: string,
  end: string,
  { text, handle, bytes }: { readonly text: string; readonly handle?: string; readonly bytes?: number },
): string {
  const said = `${commandWords(command)} does not find the answer good: ${end}.`;
  if (text === '') return `${said} It wrote nothing.`;
  const all =
    handle === undefined
      ? ''
      : `\n\nThis is the end of ${bytes} bytes. Read the rest with read_result({"handle": "${handle}"}).`;
  return `${said}\n\n${fenceData(text, 'output of the command')}${all}`;
}
