// Adds the models that imported agents name to the text of a cadre.yaml. What is there stays as it is, to the letter where
// that is possible and with its comments in any case; a model that is declared already is not touched.

import type { Document, YAMLMap } from 'yaml';
import { YAML_OPTIONS, yaml } from '../../base/yaml/package.ts';

interface WantedModels {
  /** Each alias with what it stands for. */
  readonly aliases: ReadonlyMap<string, string>;
  /** The model for agents that name none, where cadre.yaml does not say one yet. */
  readonly fallback?: string;
}

export type ConfigChange =
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly text: string; readonly added: readonly string[] }
  | { readonly kind: 'refused'; readonly why: string; readonly lines: string };

const HEAD = '# What the models of the agents stand for. Written by cadre import; change it as you like.\n';

/** `text` is the cadre.yaml that is there, if one is. */
export function withModels(text: string | undefined, wanted: WantedModels): ConfigChange {
  const document = yaml().parseDocument(text ?? '', YAML_OPTIONS);
  const { contents } = document;
  const isMap = yaml().isMap(contents);
  if (document.errors.length > 0 || (contents !== null && !isMap)) {
    return { kind: 'refused', why: 'cadre.yaml is not valid YAML', lines: linesOf(wanted) };
  }
  const declared = isMap ? contents.get('models', true) : undefined;
  if (declared !== undefined && !yaml().isMap(declared)) {
    return { kind: 'refused', why: '`models` of cadre.yaml is not a map', lines: linesOf(wanted) };
  }
  const missing = new Map([...wanted.aliases].filter(([alias]) => declared?.has(alias) !== true));
  const hasDefault = isMap && (document.hasIn(['defaults', 'models']) || document.hasIn(['defaults', 'model']));
  const fallback = hasDefault ? undefined : wanted.fallback;
  if (missing.size === 0 && fallback === undefined) return { kind: 'none' };
  const added = [
    ...[...missing].map(([alias, use]) => `models.${alias}: ${use}`),
    ...(fallback === undefined ? [] : [`defaults.models: ${fallback}`]),
  ];
  const change = { aliases: missing, ...(fallback !== undefined && { fallback }) };
  if (contents === null) return { kind: 'text', text: `${asLines(text ?? '')}${HEAD}${linesOf(change)}`, added };
  return { kind: 'text', text: extended(text ?? '', document, declared, change), added };
}

/** New keys are written below what is there. Only a map that exists has to be written anew, with its comments. */
function extended(
  text: string,
  document: Document,
  declared: YAMLMap | undefined,
  { aliases, fallback }: WantedModels,
): string {
  const isBlock = (document.contents as YAMLMap).flow !== true;
  const needsDefaults = fallback !== undefined;
  const canAppend =
    isBlock && (aliases.size === 0 || declared === undefined) && (!needsDefaults || !document.has('defaults'));
  const ends = /\n\.\.\.\s*$/.test(text);
  if (canAppend && !ends) return `${asLines(text)}\n${HEAD}${linesOf({ aliases, ...(needsDefaults && { fallback }) })}`;
  for (const [alias, use] of aliases) document.setIn(['models', alias], document.createNode({ use }, { flow: true }));
  if (needsDefaults) document.setIn(['defaults', 'models'], document.createNode([fallback], { flow: true }));
  return document.toString({ lineWidth: 0 });
}

const asLines = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

function linesOf({ aliases, fallback }: WantedModels): string {
  const models = [...aliases].map(([alias, use]) => `  ${quoted(alias)}: { use: ${quoted(use)} }\n`);
  return [
    ...(models.length === 0 ? [] : ['models:\n', ...models]),
    ...(fallback === undefined ? [] : [`defaults: { models: [${quoted(fallback)}] }\n`]),
  ].join('');
}

/** Every name that is not plainly a text in YAML is put in quotes. */
const quoted = (text: string): string =>
  /^[A-Za-z][A-Za-z0-9_./-]*$/.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text)
    ? text
    : JSON.stringify(text);
