// One agent file, read on its own: its name, its keys as written, its body. References are not followed here.

import { basename } from 'node:path/posix';
import { nearest } from '../../base/text/nearest.ts';
import type { MapNode, Stretch } from '../../base/yaml/node.ts';
import type { AgentName } from '../../kernel/effect.ts';
import type { ReportFinding } from '../diagnostic.ts';
import type { Source } from '../source.ts';
import { parseFrontmatter } from './frontmatter.ts';
import { AGENT_NAME, type AgentKeys, frontmatterShape, RESERVED_NAMES } from './keys.ts';
import type { ReadContext } from './shape.ts';
import type { ObjectShape } from './shape-object.ts';
import { tolerant } from './tolerant.ts';

export interface AgentFile {
  readonly source: Source;
  readonly name: AgentName;
  /** The place of the name: its own, or the opening fence if the file name is the name. */
  readonly nameAt: Stretch;
  readonly fields: AgentKeys;
  /** Undefined where the frontmatter could not be read at all: nothing more is reported about such a file. */
  readonly tree: MapNode | undefined;
  readonly body: string;
  /** It was written for another tool, where `{{…}}` in a prompt has no meaning. */
  readonly isForeign?: true;
}

export interface AgentFileOptions {
  /** The keys that it may have. Default: those of Cadre. */
  readonly shape?: ObjectShape<AgentKeys>;
  /** Reads the frontmatter of a file that is written for another tool. Returns undefined for any other file. */
  foreign?(source: Source): { readonly tree: MapNode | undefined; readonly body: string } | undefined;
}

const PREFIX = 'agent__';
const OPENING: Stretch = { start: 0, end: 3 };

export function readAgentFile(
  reading: ReadContext,
  { shape = frontmatterShape, foreign }: AgentFileOptions = {},
): AgentFile {
  const { source, report } = reading;
  const read = foreign?.(source);
  const isForeign = read !== undefined;
  const { tree: written, body } = read ?? ownFrontmatter(source, report);
  const tree = written !== undefined && isOtherMarkdown(written, shape) ? undefined : written;
  if (tree !== written) reportOther(written, source, report);
  const fields = tree === undefined ? {} : shape.readMap(tree, '', reading);
  const fileName = basename(source.file).replace(/\.md$/i, '');
  const named = tree?.entries.get('name')?.value;
  const name = fields.name ?? fileName;
  const nameAt = fields.name === undefined || named === undefined ? OPENING : named;
  // The shape has already reported a wrong `name`.
  if (fields.name !== undefined || named === undefined) checkName(name, nameAt, source, report);
  return { source, name, nameAt, fields, tree, body, ...(isForeign && { isForeign }) };
}

/** True if none of its keys is one of an agent, or nearly one: a page of a site, a post, a skill. */
function isOtherMarkdown({ entries }: MapNode, { keys, hints }: ObjectShape<AgentKeys>): boolean {
  const names = Object.keys(keys);
  const isMeant = (key: string): boolean =>
    Object.hasOwn(keys, key) || Object.hasOwn(hints, key) || nearest(key, names) !== undefined;
  return entries.size > 0 && ![...entries.keys()].some(isMeant);
}

function reportOther(tree: MapNode | undefined, source: Source, report: ReportFinding): void {
  const keys = [...(tree?.entries.keys() ?? [])].slice(0, 6).join(', ').slice(0, 200);
  report({
    code: 'file/not-agent',
    source,
    message: `this file has frontmatter, and none of its keys is one of an agent: ${keys}`,
    help: `If it is not an agent, leave it out in cadre.yaml: ignore: ["${source.file}"], or a glob such as docs/**.`,
  });
}

function ownFrontmatter(source: Source, report: ReportFinding): Pick<AgentFile, 'tree' | 'body'> {
  const { fields, body } = parseFrontmatter(source, report);
  return { tree: fields === undefined ? undefined : tolerant(fields, source, report), body };
}

function checkName(name: string, at: Stretch, source: Source, report: ReportFinding): void {
  const refuse = (message: string, help: string): void => report({ code: 'name/invalid', source, at, message, help });
  if (!AGENT_NAME.test(name)) {
    refuse(
      `the file name gives this agent the name "${name}", which is not valid`,
      'Rename the file, or set name: a lower-case letter, then up to 63 of a-z, 0-9, _ and -.',
    );
  } else if (RESERVED_NAMES.has(name)) {
    refuse(`"${name}" cannot be the name of an agent: Cadre uses it for something else`, 'Choose another name.');
  } else if (name.startsWith(PREFIX)) {
    refuse(
      `the name "${name}" begins with ${PREFIX}, which tools add`,
      `Leave the prefix out: ${name.slice(PREFIX.length) || 'a name'}.`,
    );
  }
}

/** The name without the prefix that agents have as tools. */
export const withoutPrefix = (name: string): string => (name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name);
