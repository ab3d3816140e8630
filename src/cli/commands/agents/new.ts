// cadre new: writes a file for a new agent, with the keys that most agents have, or with every key and its guidance.

import { existsSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { readCadre } from '../../../definition/load.ts';
import { fullAgentTemplate, shortAgentTemplate } from '../../../definition/show/template.ts';
import { fail } from '../../../kernel/fault.ts';
import { notify, print as show } from '../../screen/output.ts';

const NAME = /^[a-z][a-z0-9_-]{0,63}$/;

export async function newAgent(
  asked: string,
  {
    dir = '.',
    short,
    full,
    print,
  }: {
    readonly dir?: string;
    /** The default, for those who want to say it. */
    readonly short?: boolean;
    readonly full?: boolean;
    /** Print it instead of writing a file. */
    readonly print?: boolean;
  },
): Promise<number> {
  const name = asked.endsWith('.md') ? asked.slice(0, -3) : asked;
  if (!NAME.test(name)) {
    fail('usage', `"${asked.slice(0, 80)}" cannot be an agent's name: 1 to 64 of a-z, 0-9, _ and -, a letter first.`);
  }
  if (!existsSync(dir)) fail('usage', `${dir} does not exist. Make the folder first.`);
  if (short === true && full === true) fail('usage', '--short and --full are two different files. Give one of them.');
  const { texts } = await readCadre(dir);
  const text = full === true ? fullAgentTemplate(name, texts) : shortAgentTemplate(name, texts);
  if (print === true) {
    show(text.replace(/\n$/, ''));
    return 0;
  }
  const file = resolve(dir, `${name}.md`);
  try {
    writeFileSync(file, text, { flag: 'wx' });
  } catch (thrown) {
    const exists = (thrown as NodeJS.ErrnoException).code === 'EEXIST';
    fail('usage', `${join(dir, `${name}.md`)} ${exists ? 'exists already' : (thrown as Error).message}.`);
  }
  const shown = relative('', file);
  notify(`Written to ${shown}. Edit it, then: cadre check, and: cadre run ${shown} "…"`);
  return 0;
}
