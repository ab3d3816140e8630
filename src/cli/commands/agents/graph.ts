// cadre graph: prints the checked graph, as text or in the language of another tool.

import { writeFileSync } from 'node:fs';
import { extname } from 'node:path';
import { loadCadres } from '../../../definition/load.ts';
import type { Graph } from '../../../definition/show/graph.ts';
import { graphOf, joinGraphs } from '../../../definition/show/graph.ts';
import { fail } from '../../../kernel/fault.ts';
import { notify, print, printJson } from '../../screen/output.ts';

const FORMATS: Readonly<Record<string, () => Promise<(graph: Graph) => string>>> = {
  text: async () => (await import('../../../definition/show/graph/text.ts')).graphText,
  mermaid: async () => (await import('../../../definition/show/graph/source.ts')).graphMermaid,
  dot: async () => (await import('../../../definition/show/graph/source.ts')).graphDot,
  svg: async () => (await import('../../../definition/show/graph/svg.ts')).graphSvg,
  json: async () => (graph) => JSON.stringify(graph, null, 2),
};

/** The endings that a file may have, and what they stand for. */
const ENDINGS: Readonly<Record<string, string>> = {
  txt: 'text',
  mmd: 'mermaid',
  mermaid: 'mermaid',
  dot: 'dot',
  gv: 'dot',
  svg: 'svg',
  json: 'json',
};

export async function graph(
  folder: string,
  { format, out }: { readonly format?: string; readonly out?: string },
): Promise<number> {
  const name = format ?? formatOf(out) ?? 'text';
  const load = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (load === undefined) fail('usage', `--format takes ${Object.keys(FORMATS).join(', ')}, not "${name}".`);
  const cadres = await loadCadres(folder);
  const graphs = cadres.map(({ prefix, cadre }) => ({ prefix, graph: graphOf(cadre) }));
  const drawn = (await load())(joinGraphs(graphs)).trimEnd();
  const faulty = cadres.flatMap(({ prefix, cadre }) => [...(cadre.faulty?.keys() ?? [])].map((one) => prefix + one));
  if (faulty.length > 0) notify(`not drawn, because of errors: ${faulty.join(', ')}. See: cadre check ${folder}`);
  if (out === undefined || out === '-') {
    (name === 'json' ? printJson : print)(drawn);
    return 0;
  }
  try {
    writeFileSync(out, `${drawn}\n`);
  } catch (thrown) {
    fail('usage', `${out} cannot be written: ${(thrown as Error).message}`);
  }
  notify(`Written to ${out}.`);
  return 0;
}

/** The format for the ending of the output file; undefined if it has no ending. */
function formatOf(out: string | undefined): string | undefined {
  const ending = extname(out ?? '')
    .slice(1)
    .toLowerCase();
  if (ending === '') return undefined;
  const known = Object.hasOwn(ENDINGS, ending) ? ENDINGS[ending] : undefined;
  if (known !== undefined) return known;
  const endings = Object.keys(ENDINGS).map((one) => `.${one}`);
  return fail('usage', `${out}: a graph cannot be written as .${ending}. The file may end in ${endings.join(', ')}.`);
}
