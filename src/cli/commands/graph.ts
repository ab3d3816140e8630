// cadre graph: the checked graph, as text or in the language of another tool.

import { writeFileSync } from 'node:fs';
import type { Graph } from '../../agents/graph.ts';
import { graphOf } from '../../agents/graph.ts';
import { loadCadre } from '../../agents/load.ts';
import { fail } from '../../kernel/fault.ts';

export interface GraphOptions {
  readonly format?: string;
  readonly out?: string;
}

const FORMATS: Readonly<Record<string, () => Promise<(graph: Graph) => string>>> = {
  text: async () => (await import('../../agents/graph/text.ts')).graphText,
  mermaid: async () => (await import('../../agents/graph/source.ts')).graphMermaid,
  dot: async () => (await import('../../agents/graph/source.ts')).graphDot,
  svg: async () => (await import('../../agents/graph/svg.ts')).graphSvg,
  json: async () => (graph) => JSON.stringify(graph, null, 2),
};

export async function graph(folder: string, { format, out }: GraphOptions): Promise<number> {
  const name = format ?? formatOf(out) ?? 'text';
  const load = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (load === undefined) fail('usage', `--format takes ${Object.keys(FORMATS).join(', ')}, not "${name}".`);
  const drawn = (await load())(graphOf(await loadCadre(folder))).trimEnd();
  if (out === undefined || out === '-') {
    process.stdout.write(`${drawn}\n`);
    return 0;
  }
  try {
    writeFileSync(out, `${drawn}\n`);
  } catch (thrown) {
    fail('usage', `${out} cannot be written: ${(thrown as Error).message}`);
  }
  process.stderr.write(`Written to ${out}.\n`);
  return 0;
}

/** By the ending of the file that is to be written. */
function formatOf(out: string | undefined): string | undefined {
  const ending = /\.(svg|dot|json|mmd|gv)$/.exec(out ?? '')?.[1];
  return ending === 'mmd' ? 'mermaid' : ending === 'gv' ? 'dot' : ending;
}
