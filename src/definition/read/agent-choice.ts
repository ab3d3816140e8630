// The files of a folder that are agents: by `agents` and `ignore` of cadre.yaml, else every Markdown file outside of
// folders that begin with a dot, and those of .claude/agents and .cadre/agents. The folder .cadre holds runs. Nothing
// in it is ever an agent but what lies in .cadre/agents.

import { type Glob, glob, NOT_IN_GLOBS, spellsOut } from '../../base/text/glob.ts';
import type { YamlNode } from '../../base/yaml/node.ts';
import type { ReportFinding } from '../diagnostic.ts';
import type { Source } from '../source.ts';
import { type ReadContext, reportAt, type Shape, text } from './shape.ts';
import { oneOrMore, refineShape } from './shape-object.ts';
import { yamlTree } from './yaml-tree.ts';

const MAX_LENGTH = 300;

/** Folders that other tools and Cadre itself keep agents in, looked into beside the folder's own files. */
const AGENT_FOLDERS = ['.claude/agents/**', '.cadre/agents/**'];
const EVERYTHING = ['**', ...AGENT_FOLDERS];

const globShape: Shape<string> = {
  ...refineShape(text(), checkedGlob),
  says: 'a glob as in agents/** or docs/*.md',
};

function checkedGlob(pattern: string, node: YamlNode, path: string, reading: ReadContext): string | undefined {
  const refuse = (message: string, help: string): undefined =>
    reportAt(node, reading, { code: 'glob/syntax', message, help });
  if (pattern.length > MAX_LENGTH) return refuse(`\`${path}\` is longer than ${MAX_LENGTH} characters`, 'Shorten it.');
  if (NOT_IN_GLOBS.test(pattern)) {
    const help = 'Known are * and ? within a name, and ** for any number of folders. Write one pattern a line.';
    return refuse(`\`${path}\` is "${pattern}", which holds a character that has no meaning here`, help);
  }
  if (/^(?:[A-Za-z]:)?\//.test(pattern) || pattern.split('/').includes('..')) {
    const help = 'Paths are relative to the folder of cadre.yaml, and below it.';
    return refuse(`\`${path}\` is "${pattern}", which leads out of the folder`, help);
  }
  return pattern;
}

/** One glob, or a list of them. */
export const globsShape = oneOrMore(globShape, { min: 1, most: { count: 100, help: 'Use ** and * for several.' } });

export interface AgentChoice {
  /** True if a Markdown file is to be looked at; one with frontmatter is then an agent. */
  takes(path: string): boolean;
  enters(folder: string): boolean;
  /** Reports the patterns of `agents` that took nothing. */
  reportUnused(report: ReportFinding): void;
}

/** `config` is cadre.yaml, where there is one. Mistakes in it are reported elsewhere. */
export function agentChoice(config: Source | undefined, folder: string): AgentChoice {
  const tree = config === undefined || !/\b(?:agents|ignore)\b/.test(config.text) ? undefined : silentTree(config);
  const read = (key: string): readonly string[] | undefined => {
    const node = tree?.kind === 'map' ? tree.entries.get(key)?.value : undefined;
    if (node === undefined || config === undefined) return undefined;
    return globsShape.read(node, key, { source: config, folder, report: () => {} });
  };
  const written = read('agents');
  const chosen = (written ?? EVERYTHING).map(
    (
      pattern,
    ): Glob & {
      readonly pattern: string;
      used: boolean;
    } => ({ ...glob(pattern), pattern, used: false }),
  );
  const ignored = (read('ignore') ?? []).map(glob);
  return {
    takes(path) {
      if (ignored.some((one) => one.matches(path))) return false;
      const folders = path.slice(0, Math.max(0, path.lastIndexOf('/')));
      const by = chosen.filter((one) => one.matches(path) && spellsOut(one.pattern, folders));
      for (const one of by) one.used = true;
      return by.length > 0;
    },
    enters: (path) =>
      isOpen(path) &&
      !ignored.some((one) => one.holdsAllOf(path)) &&
      chosen.some((one) => one.mayLeadInto(path) && spellsOut(one.pattern, path)),
    reportUnused(report) {
      if (written === undefined || config === undefined || tree?.kind !== 'map') return;
      for (const { pattern } of chosen.filter(({ used }) => !used)) {
        report({
          code: 'agents/no-match',
          severity: 'warning',
          source: config,
          at: tree.entries.get('agents')?.value ?? tree,
          message: `no Markdown file matches "${pattern}" of \`agents\``,
          help: 'Fix the pattern, or remove it. It is relative to the folder of cadre.yaml.',
        });
      }
    },
  };
}

const silentTree = (config: Source): YamlNode | undefined => yamlTree(config, config.text, 0, () => {});

function isOpen(path: string): boolean {
  const parts = path.split('/');
  if (parts.includes('node_modules')) return false;
  const store = parts.indexOf('.cadre');
  return store < 0 || store === parts.length - 1 || (store === 0 && parts[1] === 'agents');
}
