// The difference that another prompt would make to the file of its agent, as `patch` and `git apply` read it. Pure.

import { unifiedDiff } from '../base/diff/unified.ts';

/** The permission bits of a file that nobody made executable. */
const MODE = 0o644;

interface PromptFile {
  /** Its path from the folder of the agents. */
  readonly file: string;
  readonly text: string;
  /** The prompt as the agent has it. A file that includes other texts holds it in another form. */
  readonly prompt: string;
}

/** Undefined where the file does not hold the prompt word by word, so that nobody can say which lines to change. */
export function promptDiff({ file, text, prompt }: PromptFile, wanted: string): string | undefined {
  const at = text.lastIndexOf(prompt);
  if (prompt === '' || at < 0) return undefined;
  const changed = text.slice(0, at) + wanted.trim() + text.slice(at + prompt.length);
  const side = (own: string) => ({ path: file, text: own, mode: MODE });
  return `${unifiedDiff(side(text), side(changed)).join('\n')}\n`;
}
