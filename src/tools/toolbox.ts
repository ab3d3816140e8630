// Finds the tools that an agent's `tools:` names. Sources are opened when first named, once for all agents, and closed
// together.
// TOOLBOX-1. The order is that of the list, and within a source that of the source: the same list gives the same specs.
// TOOLBOX-2. No two tools of one list share a name. A tool keeps its own name; where that is taken, the tools of MCP
//            servers that want it are called `<server>__<tool>`, and what still collides is a `tool/source` fault.

import { nearestNames } from '../base/text/nearest.ts';
import { type Fault, FaultError, fail, fault } from '../kernel/fault.ts';
import type { StopSignal } from '../kernel/stop-signal.ts';
import type { Tool, ToolSource } from './tool.ts';
import { fitName, isToolName } from './tool-name.ts';

export interface BoxedTool {
  /** The name that models use. */
  readonly tool: Tool;
  /** Its source and the name it has there: `files/read_file`, `mcp:docs/search`, `rest:weather`, or a function's name. */
  readonly address: string;
}

export interface Toolbox {
  /** Fails with `tool/unknown` or `tool/source`, or with the signal's reason. */
  resolve(names: readonly string[], options?: ResolveOptions): Promise<readonly BoxedTool[]>;
  /** Changes when the sources of these names have announced that their tools changed. */
  revision(names: readonly string[]): number;
  close(): Promise<void>;
}

interface ResolveOptions {
  /** Names that the session's own tools have. */
  readonly reserved?: readonly string[];
  readonly signal?: StopSignal;
  /** Called for a single tool that its source does not offer; the tool is left out. Without it, opening fails. */
  leaveOut?(missing: Fault): void;
}

/** A tool that a program hands in wins over one of the same name from a file. */
export function openToolbox(
  makers: ReadonlyMap<string, () => ToolSource>,
  functions: readonly Tool[] = [],
  more?: () => Promise<readonly Tool[]>,
): Toolbox {
  const opened = new Map<string, ToolSource>();
  const handedIn = new Map(functions.map((tool) => [tool.spec.name, tool]));
  const sourceOf = (key: string): ToolSource | undefined => {
    const known = opened.get(key) ?? makers.get(key)?.();
    if (known !== undefined) opened.set(key, known);
    return known;
  };

  async function expand(
    name: string,
    { signal, leaveOut = throwFault }: ResolveOptions,
  ): Promise<readonly BoxedTool[]> {
    const source = sourceOf(name);
    if (source !== undefined) return boxed(name, await source.tools(signal));
    const given = handedIn.get(name);
    if (given !== undefined) return [{ tool: given, address: name }];
    const whole = sourceOf(sourceName(name));
    if (whole === undefined) return [{ tool: await fromFile(name), address: name }];
    const offered = boxed(sourceName(name), await whole.tools(signal));
    const exact = offered.filter(({ address }) => address === name);
    const chosen = exact.length > 0 ? exact : offered.filter((one) => isCalled(name, one));
    const addresses = offered.map(({ address }) => address);
    if (chosen.length === 0) leaveOut(fault('tool/unknown', unknownToolText(name, addresses)));
    return chosen;
  }

  async function fromFile(name: string): Promise<Tool> {
    const functionsOfFile = (await more?.()) ?? [];
    const found = functionsOfFile.find(({ spec }) => spec.name === name);
    if (found !== undefined) return found;
    const known = [...makers.keys(), ...handedIn.keys(), ...functionsOfFile.map(({ spec }) => spec.name)];
    return fail('tool/unknown', unknownToolText(name, known));
  }

  return {
    async resolve(names, options = {}) {
      const expanded = (await Promise.all(names.map((name) => expand(name, options)))).flat();
      const unique = [...new Map(expanded.map((one) => [one.address, one])).values()];
      return withDistinctNames(unique, options.reserved ?? []);
    },
    revision(names) {
      const named = new Set(names.map((name) => opened.get(name) ?? opened.get(sourceName(name))));
      return [...named].reduce((sum, source) => sum + (source?.revision ?? 0), 0);
    },
    async close() {
      const closing = [...opened.values()].map((source) => source.close());
      opened.clear();
      const failures = (await Promise.allSettled(closing)).filter((settled) => settled.status === 'rejected');
      if (failures.length > 0) throw failures[0]?.reason;
    },
  };
}

function throwFault(missing: Fault): never {
  throw new FaultError(missing);
}

/** `mcp:docs` of `mcp:docs/search`. */
const sourceName = (name: string): string => name.slice(0, Math.max(0, name.indexOf('/')));

const boxed = (source: string, tools: readonly Tool[]): readonly BoxedTool[] =>
  tools.map((tool) => ({ tool, address: addressOf(source, tool) }));

/**
 * True if an entry of `approve:` means this tool, by its source, address or name. An entry that could mean one of two
 * tools means both: it is better to ask once too often than not to ask.
 */
export const isMeantBy = (entry: string, one: BoxedTool): boolean =>
  isCalled(entry, one) || entry === one.tool.spec.name || one.address.startsWith(`${entry}/`);

/** A REST declaration is one tool, and has the name of its source. */
const addressOf = (key: string, { spec, nativeName }: Tool): string =>
  key.startsWith('rest:') ? key : `${key}/${nativeName ?? spec.name}`;

/** An MCP server may give a tool a name that models cannot use: agent files may write either name. */
const isCalled = (entry: string, { tool, address }: BoxedTool): boolean =>
  fitAddress(entry) === fitAddress(address) || entry === `${sourceName(address)}/${tool.spec.name}`;

function fitAddress(entry: string): string {
  const slash = entry.indexOf('/');
  return slash < 0 ? entry : `${entry.slice(0, slash)}/${fitName(entry.slice(slash + 1))}`;
}

function withDistinctNames(all: readonly BoxedTool[], reserved: readonly string[]): readonly BoxedTool[] {
  const taken = count([...reserved, ...all.map(({ tool }) => tool.spec.name)]);
  const named = all.map((one) => (taken.get(one.tool.spec.name) === 1 ? one : withServerName(one)));
  const final = count([...reserved, ...named.map(({ tool }) => tool.spec.name)]);
  for (const { tool, address } of named) {
    const { name } = tool.spec;
    if (!isToolName(name)) fail('tool/source', `${address}: models cannot call a tool "${name}".`);
    if (final.get(name) === 1) continue;
    const rivals = named.filter((other) => other.tool.spec.name === name).map((other) => other.address);
    fail(
      'tool/source',
      rivals.length > 1
        ? `${rivals.join(' and ')} are both called "${name}". Give the agent only one of them, or rename one.`
        : `${address} is called "${name}", which is the name of a tool that Cadre itself offers. Rename it.`,
    );
  }
  return named;
}

function withServerName({ tool, address }: BoxedTool): BoxedTool {
  if (!address.startsWith('mcp:')) return { tool, address };
  const server = address.slice('mcp:'.length, address.indexOf('/'));
  const name = fitName(`${server}__${tool.spec.name}`);
  return {
    address,
    tool: {
      spec: { ...tool.spec, name },
      ...(tool.nativeName !== undefined && { nativeName: tool.nativeName }),
      ...(tool.readOnly !== undefined && { readOnly: tool.readOnly }),
      repeat: tool.repeat,
      execute: (input, context) => tool.execute(input, context), // a tool of a server has nothing else
    },
  };
}

function count(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Says that there is no such tool, and lists the known ones. */
export function unknownToolText(name: string, known: readonly string[]): string {
  const near = nearestNames(name, known);
  const hint = near.length > 0 ? ` Did you mean ${near.map((one) => `"${one}"`).join(' or ')}?` : '';
  return `There is no tool "${name}".${hint} Known tools: ${known.join(', ') || 'none'}.`;
}
