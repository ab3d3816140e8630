// Parts of prompts: `{{include ./part.md}}` and `{{variable}}`. Puts them in before anything runs, with a finding at the place
// of each one that cannot be. Pure: the texts of parts are handed in. A run pins the parts like the agent files themselves.
// PART-1. A part lies in the folder of the cadre, and is never an agent, a configuration or a file of secrets.
// PART-2. What a part or a variable brings is not read again for variables of its own, except what a part includes.
// PART-3. Size, depth and number of parts are capped, so that no set of files makes a prompt without end.

import { basename, dirname, join, normalize } from 'node:path/posix';
import { byteLength } from '../../base/text/bytes.ts';
import { didYouMean } from '../../base/text/nearest.ts';
import { secretIn } from '../../base/text/secret-names.ts';
import type { Stretch } from '../../base/yaml/node.ts';
import { CONFIG_FILE } from '../definition.ts';
import type { FindingText, ReportFinding } from '../diagnostic.ts';
import type { AgentFile } from '../read/agent-file.ts';
import { opensFrontmatter } from '../read/frontmatter.ts';
import type { PartText } from '../read/part-file.ts';
import type { Source, SourcePlace } from '../source.ts';

interface PromptSources {
  /** Absent where cadre.yaml declares none: `{{word}}` is then a text like any other. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** The text of a file, by its path relative to the folder. */
  part(file: string): PartText;
}

const MAX_DEPTH = 8;
const MAX_PARTS = 200;
const MAX_WARNINGS = 20;
const MAX_PROMPT_BYTES = 1_048_576;

const PLACEHOLDER = /(\\?)\{\{[ \t]*(?:include[ \t]+(?:"([^"\n]+)"|([^\s"}]+))|([A-Za-z_][\w-]*))[ \t]*\}\}/g;

/** `parts` are the texts of all parts that were used, by path. */
export function fillInPrompts(files: readonly AgentFile[], sources: PromptSources, report: ReportFinding) {
  const parts = new Map<string, string>();
  const filled = files.map((file) => {
    if (!file.body.includes('{{') || file.isForeign === true) return file;
    const { source, body } = file;
    const start = source.text.trimEnd().length - body.length;
    const filling = new Filling(sources, parts, report);
    return { ...file, body: filling.fill({ source, start, text: body, within: [source.file] }) };
  });
  return { files: filled, parts };
}

/** A text that is being filled in, and where it stands. */
interface Passage {
  readonly source: Source;
  /** The offset in the source at which `text` begins. */
  readonly start: number;
  readonly text: string;
  /** The files that led here, the agent's own first. */
  readonly within: readonly string[];
}

/** One prompt. The counts are those of the whole of it. */
class Filling {
  readonly #sources: PromptSources;
  readonly #parts: Map<string, string>;
  readonly #report: ReportFinding;
  #errors = 0;
  #warnings = 0;
  #count = 0;
  #bytes = 0;

  constructor(sources: PromptSources, parts: Map<string, string>, report: ReportFinding) {
    this.#sources = sources;
    this.#parts = parts;
    this.#report = report;
  }

  fill(passage: Passage): string {
    const { source, start, text } = passage;
    return text.replace(PLACEHOLDER, (whole: string, escape: string, ...rest: readonly unknown[]) => {
      const [quoted, plain, name, offset] = rest as readonly [string?, string?, string?, number?];
      const target = quoted ?? plain;
      const at = { start: start + (offset ?? 0), end: start + (offset ?? 0) + whole.length };
      const isActive = target !== undefined || name === 'include' || this.#sources.variables !== undefined;
      if (!isActive) return this.#unfilled(whole, passage, at);
      if (escape !== '') return whole.slice(1);
      const filled =
        target === undefined
          ? this.#variable(name ?? '', { source, at })
          : this.#include(target, passage, { source, at });
      return filled ?? whole;
    });
  }

  #variable(name: string, place: SourcePlace): string | undefined {
    const { variables = {} } = this.#sources;
    if (Object.hasOwn(variables, name)) return variables[name];
    if (name === 'include') return this.#refuse(place, 'this names no file', 'Write {{include ./part.md}}.');
    const names = Object.keys(variables);
    const known = names.length === 0 ? 'It declares none.' : `It declares: ${names.slice(0, 20).join(', ')}.`;
    const help = `${didYouMean(name, names).trim() || known} To have it as it is, write \\{{${name}}}.`;
    return this.#refuse(place, `there is no variable "${name}" in cadre.yaml`, help, 'prompt/variable');
  }

  /** A word in braces where no variables are declared. In code it is an example; elsewhere someone may have meant one. */
  #unfilled(whole: string, { source, start, text }: Passage, at: Stretch): string {
    if (whole.startsWith('\\') || this.#warnings >= MAX_WARNINGS || isInCode(text, at.start - start)) return whole;
    this.#warnings += 1;
    const message = `${whole} is sent to the model as it is: cadre.yaml declares no variables`;
    const help = 'Declare it, as in variables: {name: value}, or put it between backticks.';
    this.#report({ code: 'prompt/variable', severity: 'warning', source, at, message, help });
    return whole;
  }

  #include(target: string, { source, within }: Passage, place: SourcePlace): string | undefined {
    const file = normalize(join(dirname(source.file), target));
    const refused = refusal(target, file) ?? this.#excess(file, within);
    if (refused !== undefined) return this.#refuse(place, refused.message, refused.help);
    const found = this.#sources.part(file);
    if (!('text' in found)) return this.#refuse(place, found.message, found.help);
    if (opensFrontmatter(found.text)) {
      const help = 'Put the text that both need into a file without frontmatter, and include that in both.';
      return this.#refuse(place, `${file} is an agent, and only parts without frontmatter can be included`, help);
    }
    this.#count += 1;
    this.#bytes += byteLength(found.text);
    this.#parts.set(file, found.text);
    const text = found.text.replace(/^\uFEFF/, '');
    const before = this.#errors;
    const filled = this.fill({
      source: { file, text: found.text },
      start: found.text.length - text.length,
      text: text.replace(/\r?\n$/, ''),
      within: [...within, file],
    });
    if (this.#errors === before) return filled;
    return this.#refuse(place, `${file} has errors`, 'Fix what is listed for that file.');
  }

  /** PART-3. */
  #excess(file: string, within: readonly string[]): FindingText | undefined {
    if (within.includes(file)) {
      const path = [...within.slice(within.indexOf(file)), file].join(' → ');
      return { message: `a part includes itself: ${path}`, help: 'Take one of these includes out.' };
    }
    if (within.length > MAX_DEPTH)
      return {
        message: `parts are nested more than ${MAX_DEPTH} levels deep`,
        help: 'Include the innermost part directly.',
      };
    if (this.#count >= MAX_PARTS || this.#bytes > MAX_PROMPT_BYTES) {
      const message = `this prompt has more than ${MAX_PARTS} parts or ${MAX_PROMPT_BYTES} bytes of them`;
      return { message, help: 'Put long material into files that the agent reads with its tools.' };
    }
    return undefined;
  }

  #refuse(place: SourcePlace, message: string, help: string, code = 'prompt/include'): undefined {
    this.#errors += 1;
    this.#report({ code, ...place, message, help });
  }
}

/** PART-1. */
function refusal(target: string, file: string): FindingText | undefined {
  if (
    target.startsWith('/') ||
    target.includes('\\') ||
    /^[A-Za-z]:/.test(target) ||
    file === '..' ||
    file.startsWith('../')
  ) {
    const help = 'Write the path of a file in the folder, relative to this one: {{include ./part.md}}.';
    return { message: `"${target}" leads out of the folder`, help };
  }
  const isKeptOut = secretIn(file, 'file') !== undefined || basename(file) === CONFIG_FILE;
  if (isKeptOut || /^\.cadre\/(?!agents\/)/.test(file))
    return { message: `${file} cannot be part of a prompt`, help: 'Put what the prompt needs into a file of its own.' };
  return undefined;
}

/** True between backticks, or in a fenced block. */
function isInCode(text: string, offset: number): boolean {
  const before = text.slice(0, offset);
  if ((before.match(/^[ \t]*(?:```|~~~)/gm)?.length ?? 0) % 2 === 1) return true;
  const line = before.slice(before.lastIndexOf('\n') + 1);
  return (line.match(/`/g)?.length ?? 0) % 2 === 1;
}
