// The examples as their READMEs tell to run them, each in a folder of its own where its script hurries.

import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const EXAMPLES = fileURLToPath(new URL('../../../examples', import.meta.url));

export interface Story {
  readonly name: string;
  readonly folder: string;
  /** The agent file within the folder. */
  readonly agent: string;
  readonly input: string;
}

const COMMAND = /^cadre run examples\/([^/\s]+)\/(\S+\.md) "([^"]*)"$/gm;

/** Every example whose README has a `cadre run`; the first `perExample` of each. */
export function stories(perExample: number): readonly Story[] {
  return readdirSync(EXAMPLES).flatMap((example) => {
    const readme = join(EXAMPLES, example, 'README.md');
    if (!existsSync(readme)) return [];
    const commands = [...readFileSync(readme, 'utf8').matchAll(COMMAND)].slice(0, perExample);
    return commands.map(([, folder = '', agent = '', input = ''], index) => ({
      name: index === 0 ? folder : `${folder} ${index + 1}`,
      folder: join(EXAMPLES, folder),
      agent,
      input,
    }));
  });
}

const HURRY = 5;

/** A copy whose scripted delays are a fraction of what they were. */
export function hurried(story: Story): Story {
  const folder = join(mkdtempSync(join(tmpdir(), 'cadre-crash-')), basename(story.folder));
  cpSync(story.folder, folder, { recursive: true });
  for (const file of readdirSync(folder).filter((one) => one.endsWith('.script.yaml'))) {
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8');
    const faster = text.replace(
      /\b(delay|chunk): (\d+)ms/g,
      (_, key, ms) => `${key}: ${Math.ceil(Number(ms) / HURRY)}ms`,
    );
    writeFileSync(path, faster);
  }
  return { ...story, folder };
}
