// Netdata's ai-agent: `.ai` files, whose frontmatter is close to ours. Tools are MCP servers that its configuration declares.

import { glob } from '../../../base/text/glob.ts';
import { jsonOf, type MapNode } from '../../../base/yaml/node.ts';
import type { AgentDialect } from '../dialect.ts';
import { AgentDraft } from '../draft.ts';
import {
  asCount,
  asNumber,
  asReasoning,
  asText,
  type KeyReader,
  type KeyTable,
  leaveOut,
  putSchema,
  readKeys,
  skipKey,
} from '../key-table.ts';
import { asModels } from '../model-names.ts';
import { asMap, jsonAt, mapAt, NO_MAP, namesOf, scalarText, textAt } from '../nodes.ts';
import { TAKES_ALL, TAKES_NONE } from '../restriction.ts';
import { denial, ofServer, serverToolLike, type ToolTable } from '../tool-table.ts';

const NETDATA_TOOLS: ToolTable = {
  sources: {},
  without: { batch: 'a model calls several tools at once by itself' },
  starters: [],
  all: [],
  serverTool: serverToolLike(/^(.+?)__(.+)$/),
};

const refersByPath =
  (key: 'agents' | 'advisors' | 'router' | 'handoff'): KeyReader =>
  (value, draft) => {
    for (const path of namesOf(value)) draft.refer(key, path, draft.context.agentAt(path));
  };

/** A list of the tools that may be used makes each server those of its tools that are in it. */
function takeServers(tree: MapNode, draft: AgentDraft): void {
  const allowed = tree.entries.has('toolsAllowed') ? namesOf(tree.entries.get('toolsAllowed')?.value) : undefined;
  const servers = namesOf(tree.entries.get('tools')?.value);
  const single = allowed?.filter((one) => !servers.includes(one)) ?? [];
  for (const server of servers) {
    if (Object.hasOwn(NETDATA_TOOLS.without, server)) draft.lose(server, NETDATA_TOOLS.without[server]!, 'tool');
    else if (allowed === undefined || allowed.some((one) => one === '*' || one === server))
      draft.take(ofServer(server));
    else for (const tool of toolsOf(server, single)) draft.take(ofServer(server, tool));
  }
  for (const written of (allowed ?? []).filter((one) => /[*?]/.test(one) && one !== '*'))
    draft.lose(`toolsAllowed: ${written}`, 'tools of a server are named one by one', 'tool');
}

/** `github__get_issue` is of github. A name without a server may be one of any of them. */
const toolsOf = (server: string, allowed: readonly string[]): readonly string[] =>
  allowed.flatMap((one) => {
    const [, of, tool = one] = /^(.+?)__(.+)$/.exec(one) ?? [];
    return (of === undefined || of === server) && !/[*?\s()]/.test(tool) ? [tool] : [];
  });

const readDenied: KeyReader = (value, draft, key) => {
  const servers = [...draft.rights].flatMap((right) => /^mcp:([^/]+)/.exec(right)?.[1] ?? []);
  for (const written of namesOf(value)) {
    const what = `${key}: ${written}`;
    const form = { paths: 'stars', unknown: TAKES_NONE } as const;
    if (written === '*') draft.restrictions.push({ what, takes: TAKES_ALL, isExact: true });
    else if (servers.includes(written)) draft.restrictions.push(denial(what, `${written}__*`, NETDATA_TOOLS, form));
    else if (/__/.test(written) && !written.startsWith('*'))
      draft.restrictions.push(denial(what, written, NETDATA_TOOLS, form));
    else if (/[*?\s()]/.test(written)) {
      const name = glob(written);
      draft.restrictions.push({
        what,
        takes: (right) => right.startsWith('mcp:') && (name.matches(right.split('/')[1] ?? '') || !right.includes('/')),
      }); // prettier-ignore
    } else
      for (const server of new Set(servers))
        draft.restrictions.push(denial(what, `${server}__${written}`, NETDATA_TOOLS, form));
  }
};

const inMilliseconds =
  (own: string): KeyReader =>
  (value, draft, key) => {
    const text = scalarText(value) ?? '';
    if (/^\d+$/.test(text) && Number(text) > 0) draft.put(own, `${text}ms`, key);
    else if (/^\d+(?:\.\d+)?(?:ms|s|m|h)$/.test(text)) draft.put(own, text, key);
    else if (text !== '0' && text !== '') draft.lose(`${key}: ${text}`, `${own} takes a duration`, 'restriction');
  };

const UNUSED = 'it has no counterpart, and needs none';

const KEYS: KeyTable = {
  name: skipKey,
  tools: skipKey,
  toolsAllowed: skipKey,
  toolsDenied: readDenied,
  description: asText('description'),
  usage: asText('usage'),
  models: asModels,
  model: asModels,
  temperature: asNumber('temperature', 0, 2),
  topP: asNumber('topP', 0, 1),
  maxOutputTokens: asCount('maxOutputTokens', 10_000_000),
  reasoning: asReasoning,
  agents: refersByPath('agents'),
  advisors: refersByPath('advisors'),
  handoff: refersByPath('handoff'),
  router: (value, draft, key) =>
    refersByPath('router')(asMap(value)?.entries.get('destinations')?.value ?? value, draft, key),
  maxTurns: asCount('maxTurns', 10_000),
  maxToolTurns: asCount('maxTurns', 10_000),
  maxToolCallsPerTurn: asCount('maxToolCallsPerTurn', 1000),
  maxRetries: asCount('maxRetries', 100),
  llmTimeout: inMilliseconds('modelTimeout'),
  toolTimeout: inMilliseconds('toolTimeout'),
  output: (value, draft, key) => {
    const output = asMap(value) ?? NO_MAP;
    const [format, schema] = [textAt(output, 'format'), jsonAt(output, 'schema')];
    if (schema !== undefined) putSchema(draft, 'output', schema, key);
    else if (output.entries.has('schemaRef'))
      draft.lose(`${key}: schemaRef`, 'write the schema out under output.schema', 'schema');
    else if (format !== undefined && /^(?:markdown|text|json)$/.test(format)) draft.put('output', { format }, key);
    else if (format !== undefined) draft.lose(`${key}: ${format}`, 'markdown, text and json are known');
  },
  input: (value, draft, key) => {
    const input = asMap(value) ?? NO_MAP;
    const format = textAt(input, 'format');
    const schema = mapAt(input, 'schema').entries.size > 0 ? jsonAt(input, 'schema') : undefined;
    if (schema !== undefined) putSchema(draft, 'input', schema, key);
    else if (format !== undefined && !input.entries.has('properties'))
      draft.put('input', { format: /^(?:json|text)$/.test(format) ? format : 'markdown' }, key); // prettier-ignore
    else putSchema(draft, 'input', jsonOf(value), key);
  },
  topK: leaveOut(UNUSED),
  repeatPenalty: leaveOut(UNUSED),
  cache: leaveOut('answers are not kept for a second question'),
  contextWindow: leaveOut('say it under models in cadre.yaml'),
  contextWindowBufferTokens: leaveOut(UNUSED),
  toolResponseMaxBytes: leaveOut('long results become handles'),
  toolOutput: leaveOut('long results become handles'),
  maxConcurrentTools: leaveOut(UNUSED),
  parallelToolCalls: leaveOut(UNUSED),
  stream: leaveOut(UNUSED),
};

const INCLUDE = /\$\{include:([^}\n]{1,300})\}/g;

/** Included texts stand in the prompt itself, as the model got them there. */
function promptOf(body: string, draft: AgentDraft): string {
  const words = new Set(body.match(/\$\{[A-Z][A-Z_]{0,40}\}/g));
  for (const word of words) draft.lose(word, 'nothing is filled in for it, and it stays as it is written');
  return body.replaceAll(INCLUDE, (all, path: string) => {
    const text = draft.context.textAt(path.trim());
    if (text !== undefined) return text.trim();
    draft.lose(all.slice(0, 80), 'the file is not among those that are imported', 'reference');
    return all;
  });
}

export const netdata: AgentDialect = {
  name: 'netdata',
  title: 'ai-agent of Netdata',
  endings: /\.ai$/i,
  isPlace: (path) => /\.ai$/i.test(path),
  hasKeys: () => false,
  references: ({ tree }) => [
    ...['agents', 'advisors', 'handoff'].flatMap((key) => namesOf(tree.entries.get(key)?.value)),
    ...namesOf(mapAt(tree, 'router').entries.get('destinations')?.value),
  ],
  draft({ file: { tree, body, isYaml } }, context) {
    const draft = new AgentDraft(tree, context);
    draft.namesTools = true;
    takeServers(tree, draft);
    readKeys(tree, KEYS, draft);
    draft.prompt = promptOf(body, draft);
    if (!isYaml) draft.tell('changed', 'frontmatter', 'it is not YAML, and was read line by line');
    draft.tellDescription();
    return draft;
  },
};
