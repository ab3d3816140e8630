// Every key of an agent with the value that holds for it, and where the value comes from. `cadre help <agent>` prints it
// as frontmatter, and the page lists it.

import { jsonOf, type MapNode, type YamlEntry } from '../../base/yaml/node.ts';
import type { AgentName } from '../../kernel/effect.ts';
import type { CadreDefinition } from '../definition.ts';
import { CONFIG_FILE } from '../definition.ts';
import { type ConfigFile, readConfig, withoutConfig } from '../read/config/config.ts';
import { parseFrontmatter } from '../read/frontmatter.ts';
import { ALL_KEYS } from '../read/keys.ts';
import type { Key } from '../read/shape-object.ts';
import { lineOf, type Source } from '../source.ts';
import type { AgentSetting, SettingOrigin } from './setting.ts';

/** The settings in the order of the reference. Undefined: there is no such agent. */
export function agentSettings(cadre: CadreDefinition, name: AgentName): readonly AgentSetting[] | undefined {
  const agent = cadre.agents.get(name);
  if (agent === undefined) return undefined;
  const source: Source = { file: agent.file, text: agent.text };
  const { fields } = parseFrontmatter(source, ignore);
  const config = configFrom(cadre.texts);
  const written = (key: string): AgentSetting | undefined =>
    settingAt(fields, key, 'file', source) ?? settingAt(partOf(config, 'defaults'), key, 'defaults', config.source);
  const limit = settingAt(partOf(config, 'limits'), 'maxTurns', 'limits', config.source);
  return Object.entries(ALL_KEYS).map(([key, one]) => {
    const found = written(key);
    if (found !== undefined) return found;
    if (key === 'name') return { key, value: agent.name, from: 'built-in' };
    if (key === 'maxTurns' && limit?.value === agent.maxTurns) return limit;
    return { key, from: 'built-in', ...usual(one) };
  });
}

/** The value of a key that no file sets, if it has one. */
export function usual(key: Key<never> | Key<unknown>): { readonly value?: unknown } {
  const { shape, fallback } = key as Key<unknown>;
  if (fallback === undefined) return {};
  return { value: shape.write === undefined ? fallback : shape.write(fallback) };
}

export const defaultsFrom = (texts: ReadonlyMap<string, string>): MapNode | undefined =>
  partOf(configFrom(texts), 'defaults');

export function configFrom(texts: ReadonlyMap<string, string>): ConfigFile {
  const text = texts.get(CONFIG_FILE);
  return text === undefined ? withoutConfig : readConfig({ file: CONFIG_FILE, text }, '/', ignore);
}

const ignore = (): void => {};

function partOf({ tree }: ConfigFile, name: string): MapNode | undefined {
  const part = tree?.entries.get(name)?.value;
  return part?.kind === 'map' ? part : undefined;
}

function settingAt(
  map: MapNode | undefined,
  key: string,
  from: SettingOrigin,
  source: Source | undefined,
): AgentSetting | undefined {
  const entry: YamlEntry | undefined = map?.entries.get(key);
  if (entry === undefined) return undefined;
  const place = source && { file: source.file, line: lineOf(source, entry) };
  return { key, value: jsonOf(entry.value), from, ...(place && { place }) };
}
