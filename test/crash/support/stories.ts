// The examples as their READMEs tell to run them, each in a folder of its own where its script hurries.

import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** The folders of cadres: those of this suite show patterns that the examples do not. */
const FOLDERS = ['examples', 'test/crash/cadres'];

export interface Story {
  readonly name: string;
  readonly folder: string;
  /** The agent file within the folder. */
  readonly agent: string;
  readonly input: string;
}

const COMMAND = /^cadre run (\S+)\/([^/\s]+\.md) "([^"]*)"$/gm;

/** Every folder whose README has a `cadre run`; the first `perFolder` of each. */
export function stories(perFolder: number): readonly Story[] {
  const folders = FOLDERS.flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => join(folder, name)));
  return folders.flatMap((folder) => {
    const readme = join(ROOT, folder, 'README.md');
    if (!existsSync(readme)) return [];
    const commands = [...readFileSync(readme, 'utf8').matchAll(COMMAND)].slice(0, perFolder);
    return commands.map(([, of = '', agent = '', input = ''], index) => ({
      name: index === 0 ? basename(of) : `${basename(of)} ${index + 1}`,
      folder: join(ROOT, of),
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
