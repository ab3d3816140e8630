// One SKILL.md: the name and the description of a skill, its body, and what is wrong with them. The rules are those of the
// format's reference validator, so no skill is refused here that passes there.

import { estimateTokenCount } from 'tokenx';
import type { MapNode, Stretch, YamlNode } from '../../base/yaml/node.ts';
import type { FindingText } from '../diagnostic.ts';
import { readForeign } from '../import/foreign-file.ts';
import type { Source } from '../source.ts';

export interface SkillFile {
  readonly name: string;
  /** On one line. */
  readonly description: string;
  readonly body: string;
  /** The tools that it asks for, as written. */
  readonly allowedTools: readonly string[];
}

export interface SkillFinding extends FindingText {
  readonly code: string;
  readonly at?: Stretch;
}

export interface SkillReading {
  /** Absent if the skill cannot be used. */
  readonly skill?: SkillFile;
  /** The reasons why it cannot be used. */
  readonly faults: readonly SkillFinding[];
  readonly warnings: readonly SkillFinding[];
}

const MAX_NAME = 64;
const MAX_DESCRIPTION = 1024;
const MAX_COMPATIBILITY = 500;
const LONG_BODY = 5000;
const KNOWN_KEYS: ReadonlySet<string> = new Set([
  'name',
  'description',
  'license',
  'compatibility',
  'metadata',
  'allowed-tools',
]);

/** `folder` is the name of the folder that the file lies in. */
export function readSkill(source: Source, folder: string): SkillReading {
  const file = readForeign(source);
  if (file === undefined)
    return {
      faults: [
        {
          code: 'skill/invalid',
          message: 'it has no frontmatter that begins on the first line and ends with ---',
          help: 'Begin it with ---, name: and description:, and a second --- before the text.',
        },
      ],
      warnings: [],
    };
  const { tree, body, isYaml } = file;
  const valueAt = (key: string): { readonly text: string; readonly at: Stretch } => {
    const node = tree.entries.get(key)?.value;
    return { text: textOf(node, source), at: node ?? { start: 0, end: 3 } };
  };
  const name = valueAt('name');
  const description = valueAt('description');
  const faults = [
    ...nameFaults(name.text, folder).map((fault) => ({ ...fault, at: name.at })),
    ...descriptionFaults(description.text).map((fault) => ({ ...fault, at: description.at })),
  ];
  if (faults.length > 0) return { faults, warnings: [] };
  return {
    skill: {
      name: name.text.normalize('NFKC'),
      description: description.text.replaceAll(/\s+/g, ' '),
      body,
      allowedTools: toolsIn(tree.entries.get('allowed-tools')?.value, source),
    },
    faults,
    warnings: [
      ...(isYaml ? [] : [NOT_YAML]),
      ...compatibilityFaults(tree.entries.get('compatibility')?.value),
      ...strangeKeys(tree),
      ...tooLong(body),
    ],
  };
}

function strangeKeys({ entries }: MapNode): readonly SkillFinding[] {
  const strange = [...entries.values()].filter(({ key }) => !KNOWN_KEYS.has(key));
  const [at] = strange;
  if (at === undefined) return [];
  const message = `the format of skills does not know ${strange.map(({ key }) => `"${key}"`).join(', ')}, and nothing is done with it`;
  return [{ code: 'skill/key', at, message, help: 'Remove it, or put it under metadata.' }];
}

function tooLong(body: string): readonly SkillFinding[] {
  const tokens = estimateTokenCount(body);
  if (tokens <= LONG_BODY) return [];
  const message = `its text takes about ${tokens} tokens, and a skill is to have no more than ${LONG_BODY}`;
  const help = 'Move parts of it into files beside it, which are read when they are needed.';
  return [{ code: 'skill/long', message, help }];
}

const NOT_YAML: SkillFinding = {
  code: 'skill/yaml',
  message: 'its frontmatter is not YAML, so it is read line by line, and other tools may refuse it',
  help: 'Put the text after the colon into quotes.',
};

/** It is told to nobody here. Other tools refuse a skill that has it in another form. */
function compatibilityFaults(node: YamlNode | undefined): readonly SkillFinding[] {
  const text = node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
  if (node === undefined || (text !== undefined && text.length <= MAX_COMPATIBILITY)) return [];
  const message = `\`compatibility\` is no text of at most ${MAX_COMPATIBILITY} characters, and other tools may refuse it`;
  return [{ code: 'skill/key', at: node, message, help: 'Shorten it, or put it under metadata.' }];
}

function nameFaults(written: string, folder: string): readonly SkillFinding[] {
  const invalid = (message: string, help: string): readonly SkillFinding[] => [
    { code: 'skill/invalid', message, help },
  ];
  if (written === '') return invalid('it has no name', `Write name: ${folder} into its frontmatter.`);
  const name = written.normalize('NFKC');
  if (
    Array.from(name).length > MAX_NAME ||
    name !== name.toLowerCase() ||
    !/^[\p{L}\p{M}\p{N}]+(?:-[\p{L}\p{M}\p{N}]+)*$/u.test(name)
  )
    return invalid(
      `${shown(name)} is no name of a skill`,
      `A name has 1 to ${MAX_NAME} lower-case letters, digits and single hyphens inside.`,
    );
  if (name !== folder.normalize('NFKC'))
    return invalid(`its name is ${shown(name)}, and its folder is ${shown(folder)}`, 'Give both the same name.');
  return [];
}

function descriptionFaults(written: string): readonly SkillFinding[] {
  const length = Array.from(written).length;
  if (length > 0 && length <= MAX_DESCRIPTION) return [];
  const help = `Say in 1 to ${MAX_DESCRIPTION} characters what it is for and when to use it.`;
  const message = length === 0 ? 'it has no description' : `its description has ${length} characters`;
  return [{ code: 'skill/invalid', message, help }];
}

const shown = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);

/** A number or a yes is a text here: `name: 2048`. */
function textOf(node: YamlNode | undefined, { text }: Source): string {
  if (node?.kind !== 'scalar' || node.value === null) return '';
  return (typeof node.value === 'string' ? node.value : text.slice(node.start, node.end)).trim();
}

/** A list, or a text with spaces or commas between the names: `Bash(git log:*) Read`. */
function toolsIn(node: YamlNode | undefined, source: Source): readonly string[] {
  if (node?.kind === 'list') return node.items.map((item) => textOf(item, source)).filter((name) => name !== '');
  return textOf(node, source).match(/[^\s,()]+(?:\([^)]*\))?/g) ?? [];
}
