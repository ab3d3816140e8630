// The answer of an MCP tool, as text for a model, with the pictures and documents that it shows. Any other part that is not
// text is named with its kind and size.

import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { mediaTypeOf } from '../../base/media/file-type.ts';
import { isTooDeep, TOO_DEEP } from '../../base/text/json.ts';
import { countedNoun } from '../../base/text/words.ts';
import { errorResult } from '../../kernel/message.ts';
import type { ToolFile, ToolOutput } from '../tool.ts';

export function toolResultOf(answer: CallToolResult): Exclude<ToolOutput, string | { readonly asks: unknown }> {
  if (isTooDeep(answer.structuredContent)) return errorResult(`The structured result of the tool ${TOO_DEEP}.`);
  const files = filesOf(answer.content);
  const parts = answer.content.filter((block) => !files.has(block)).map(describe);
  if (files.size > 0 && parts.length === 0) parts.push('It shows:');
  if (parts.length === 0 && answer.structuredContent !== undefined) {
    parts.push(shownAs(answer.structuredContent));
  }
  const status = answer.isError === true ? 'error' : 'ok';
  const text = parts.join('\n\n');
  const told = text === '' ? (status === 'ok' ? 'done' : 'The tool failed and did not say why.') : text;
  return { status, text: told, ...(files.size > 0 && { files: [...files.values()] }) };
}

/** More than any file that is shown. Nothing larger is decoded. */
const MOST_ENCODED = 28 * 1_048_576;

/** The parts that are a picture or a PDF by their bytes. What is at an address is not fetched. */
function filesOf(content: readonly ContentBlock[]): ReadonlyMap<ContentBlock, ToolFile> {
  const files = new Map<ContentBlock, ToolFile>();
  for (const block of content) {
    const encoded = encodedIn(block);
    if (encoded === undefined || encoded.length > MOST_ENCODED) continue;
    const data = Buffer.from(encoded, 'base64');
    const type = mediaTypeOf(data);
    if (type === undefined) continue;
    const name = block.type === 'resource' ? block.resource.uri : `picture-${files.size + 1}.${type.split('/')[1]}`;
    files.set(block, { name, data });
  }
  return files;
}

function encodedIn(block: ContentBlock): string | undefined {
  if (block.type === 'image') return block.data;
  return block.type === 'resource' && 'blob' in block.resource ? block.resource.blob : undefined;
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
