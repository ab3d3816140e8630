// Tools from a file of the user: its exports that are tools, made with `tool()` or written as plain objects. The file
// runs with all rights of this process when it is loaded, so nothing is loaded before a run needs a tool of it. Node
// keeps a module that it has loaded, so changes take effect in the next process.

import { fail } from '../kernel/fault.ts';
import { type AnyFunctionTool, tool } from './functions.ts';
import type { Tool } from './tool.ts';

export interface FunctionsFile {
  /** The path in cadre.yaml. */
  readonly file: string;
  /** Returns the exports of the module. */
  load(): Promise<Readonly<Record<string, unknown>>>;
}

/** Throws a `tool/source` fault that names the file, and where in it. */
export async function loadFunctions(files: readonly FunctionsFile[]): Promise<readonly Tool[]> {
  const found = new Map<string, { readonly tool: Tool; readonly file: string }>();
  for (const { file, load } of files) {
    for (const one of toolsIn(await loaded(file, load), file)) {
      const { name } = one.spec;
      const other = found.get(name);
      if (other !== undefined) {
        const where =
          other.file === file ? `${file} exports two tools` : `${other.file} and ${file} each export a tool`;
        fail('tool/source', `${where} called "${name}". Rename one of them.`);
      }
      found.set(name, { tool: one, file });
    }
  }
  return [...found.values()].map((one) => one.tool);
}

function toolsIn(exported: Readonly<Record<string, unknown>>, file: string): readonly Tool[] {
  const made = new Map<unknown, Tool>(); // the same object may be exported by two names
  for (const [name, value] of Object.entries(exported)) {
    const listed = name === 'default' && Array.isArray(value) ? (value as readonly unknown[]) : undefined;
    for (const [index, one] of (listed ?? [value]).entries()) {
      const where = listed === undefined ? `export "${name}"` : `entry ${index} of the default export`;
      if (made.has(one) || (listed === undefined && !mayBeTool(one))) continue;
      made.set(one, toolOf(one, file, where));
    }
  }
  if (made.size > 0) return [...made.values()];
  return fail(
    'tool/source',
    `${file} exports no tool. It exports: ${Object.keys(exported).join(', ') || 'nothing'}. Export objects with name, ` +
      'description, parameters and run: each by a name of its own, or all in a list as the default export.',
  );
}

/** Other exports of the file are ignored. */
const mayBeTool = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && ('run' in value || isTool(value));

function isTool(value: unknown): value is Tool {
  if (typeof value !== 'object' || value === null || !('spec' in value && 'execute' in value)) return false;
  const { spec, execute } = value;
  return typeof execute === 'function' && typeof spec === 'object' && spec !== null && 'name' in spec;
}

function toolOf(value: unknown, file: string, where: string): Tool {
  if (isTool(value)) return value;
  const lacks = lacking(value);
  if (lacks !== undefined) return fail('tool/source', `${file}, ${where} is not a tool: ${lacks}.`);
  try {
    return tool(value as never);
  } catch (thrown) {
    return fail('tool/source', `${file}, ${where}: ${messageOf(thrown)}`);
  }
}

function lacking(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return `it is ${value === null ? 'null' : `a ${typeof value}`}`;
  const { name, description, run } = value as Partial<Record<keyof AnyFunctionTool, unknown>>;
  if (typeof name !== 'string') return 'it has no `name`';
  if (typeof description !== 'string') return `"${name}" has no \`description\``;
  return typeof run === 'function' ? undefined : `"${name}" has no function \`run\``;
}

async function loaded(file: string, load: FunctionsFile['load']): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await load();
  } catch (thrown) {
    const place = placeIn(thrown, file);
    // Node does not put the place of a syntax error into the error, only into the output of a process that it ends.
    const way = thrown instanceof SyntaxError && place === '' ? `. "node --check ${file}" shows where.` : '';
    return fail('tool/source', `${file} cannot be loaded${place}: ${messageOf(thrown)}${way}`);
  }
}

/** The first line of the file that the stack names, as ` (line 3)`. */
function placeIn(thrown: unknown, file: string): string {
  const name = file.slice(file.lastIndexOf('/') + 1);
  const stack = thrown instanceof Error ? (thrown.stack ?? '') : '';
  const at = stack.split('\n').find((line) => line.includes(`/${name}:`)) ?? '';
  const [, line] = /:(\d+)(?::\d+)?\)?$/.exec(at.trim()) ?? [];
  return line === undefined ? '' : ` (line ${line})`;
}

const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? `${thrown.name === 'Error' ? '' : `${thrown.name}: `}${thrown.message}` : String(thrown);
