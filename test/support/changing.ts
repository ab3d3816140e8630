// An agent that makes the file changes a test asks for, in a folder of its own, with the scripted model.

import { chmodSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Cadre, type CadreOptions, loadCadre, type RunId } from '../../src/index.ts';
import { type Folder, folderWith } from './cli.ts';

/** `{ edit_file: { path: … } }`. */
export type FileCall = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface Changing {
  readonly folder: Folder;
  readonly cadre: Cadre;
  /** One turn for each list of calls. */
  run(...turns: readonly (readonly FileCall[])[]): Promise<RunId>;
  /** The answers of the run's tools, in the order of their ops. */
  answers(run: RunId): Promise<readonly string[]>;
  /** Every file with its mode and text, and every folder. */
  tree(): Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export const FIXER = '---\ndescription: Fixes.\ntools: [files, files:write]\ntrust: [files:write]\n---\nYou fix.\n';

/** `work/` is the workspace, so that the files of Cadre lie outside. */
export async function changingIn(
  files: Readonly<Record<string, string>>,
  options: CadreOptions & { readonly config?: string; readonly agents?: Readonly<Record<string, string>> } = {},
): Promise<Changing> {
  const { config = '', agents = {}, ...rest } = options;
  const folder = folderWith({
    'cadre.yaml': `workspace: ./work\nproviders: { demo: { kind: scripted, script: ./s.yaml } }\ndefaults: { models: [demo/x] }\nagents: ["*.md"]\n${config}`,
    'fixer.md': FIXER,
    's.yaml': 'agents: { fixer: [{ answer: done }] }',
    'work/.keep': '',
    ...agents,
    ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`work/${path}`, text])),
  });
  const cadre = await loadCadre(folder.path, rest);
  const others: Cadre[] = [];
  return {
    folder,
    cadre,
    async run(...turns) {
      const steps = [...turns.map((calls) => ({ calls })), { answer: 'done' }];
      folder.write('s.yaml', JSON.stringify({ agents: { fixer: steps } }));
      const fresh = await loadCadre(folder.path, { ...rest, store: cadre.store }); // a script is read once
      others.push(fresh);
      const handle = await fresh.run('fixer', 'go');
      await handle.outcome();
      return handle.run;
    },
    async answers(run) {
      const texts: string[] = [];
      for await (const event of cadre.store.read(run)) {
        if (event.type !== 'op-end' || event.kind !== 'tool') continue;
        texts.push(event.result.ok ? (event.result.value as { text: string }).text : event.result.fault.message);
      }
      return texts;
    },
    tree: () => treeOf(join(folder.path, 'work')),
    async close() {
      for (const one of [cadre, ...others]) await one.close();
      folder.remove();
    },
  };
}

export function treeOf(root: string): Readonly<Record<string, string>> {
  const all: Record<string, string> = {};
  for (const entry of readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted()) {
    const path = join(root, entry);
    const stats = lstatSync(path);
    const mode = (stats.mode & 0o777).toString(8);
    all[entry] = stats.isDirectory() ? 'folder' : `${mode} ${readFileSync(path).toString('latin1')}`;
  }
  return all;
}

export const modeOf = (path: string): number => statSync(path).mode & 0o777;
export const setMode = (path: string, mode: number): void => chmodSync(path, mode);
