// The answer of an MCP tool, as text for a model. A part that is not text is named with its kind and size.

import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { isTooDeep, TOO_DEEP } from '../../base/text/json.ts';
import { countedNoun } from '../../base/text/words.ts';
import { errorResult, type ToolResult } from '../../kernel/message.ts';

export function toolResultOf(answer: CallToolResult): ToolResult {
  if (isTooDeep(answer.structuredContent)) return errorResult(`The structured result of the tool ${TOO_DEEP}.`);
  const parts = answer.content.map(describe);
  if (parts.length === 0 && answer.structuredContent !== undefined) {
    parts.push(shownAs(answer.structuredContent));
  }
  const status = answer.isError === true ? 'error' : 'ok';
  const text = parts.join('\n\n');
  return { status, text: text === '' ? (status === 'ok' ? 'done' : 'The tool failed and did not say why.') : text };
}

/** The longest text that is indented: a longer one would grow many times as long. */
const MOST_INDENTED = 100_000;

function shownAs(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > MOST_INDENTED ? text : JSON.stringify(value, undefined, 2);
}

function describe(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type} ${block.mimeType}, ${countedNoun(decodedSize(block.data), 'byte')}, not shown]`;
    case 'resource_link':
      return `[link to ${block.uri}: ${block.title ?? block.name}${block.mimeType === undefined ? '' : ` (${block.mimeType})`}]`;
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return `[resource ${resource.uri}]\n${resource.text}`;
      const type = resource.mimeType ?? 'of unknown type';
      return `[resource ${resource.uri} ${type}, ${countedNoun(decodedSize(resource.blob), 'byte')}, not shown]`;
    }
  }
}

/** The size of what base64 encodes. */
function decodedSize(data: string): number {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0;
  return Math.floor((data.length * 3) / 4) - padding;
}
