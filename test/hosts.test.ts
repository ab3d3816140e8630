// docs/hosts.md lists every host that Cadre can contact. The build is looked through, because packages are part of it.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';
import { built } from './support/dist.ts';
import { ROOT } from './support/fences.ts';

/** Names that stand in texts, examples and namespaces: nothing is fetched from them. */
const ONLY_NAMED: Readonly<Record<string, string>> = {
  'ai.google.dev': 'the words of a warning',
  'app.example.com': 'an example of an address',
  'docs.cloud.google.com': 'the words of a warning',
  'example.com': 'an example of an address',
  'foo.bar': 'a base for addresses of PDF files that have none',
  'github.com': 'the words of errors, and licences',
  'google.aip.dev': 'the words of a warning',
  'json-schema.org': 'names of dialects of JSON Schema',
  'ns.adobe.com': 'a namespace of XML',
  'raw.githubusercontent.com': 'the name of a keyword of Ajv',
  'react-native.canny.io': 'the words of a warning',
  'rehearsal.invalid': 'a name that can belong to nobody, for a rehearsal of a package',
  'ts.sdk.modelcontextprotocol.io': 'the words of a warning',
  'www.ibm.com': 'a namespace of XML',
  'www.w3.org': 'namespaces of XML',
  'www.xfa.org': 'a namespace of XML',
};

/** Its texts are the table of prices with the pages that they were read from. It makes no request. */
const PRICES = /pydantic-genai-prices/;

const HOST = /\b(?:https?|wss?):\/\/([a-z0-9-]+(?:\.[a-z0-9-]+)+)/gi;

function hostsIn(code: string): readonly string[] {
  const hosts: string[] = [];
  const look = (node: unknown): void => {
    if (Array.isArray(node)) for (const one of node) look(one);
    if (typeof node !== 'object' || node === null || !('type' in node)) return;
    const { type, value } = node as { type: string; value?: unknown };
    const text = type === 'TemplateElement' ? (value as { cooked?: string }).cooked : value;
    if (typeof text === 'string') for (const [, host] of text.matchAll(HOST)) if (host !== undefined) hosts.push(host);
    for (const inner of Object.values(node)) if (typeof inner === 'object') look(inner);
  };
  look(parseAst(code).body);
  return hosts;
}

const dist = join(built('cli/main.js'), '../..');
const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.c?js$/.test(file) && !/brotli/.test(file) && !PRICES.test(file),
);
const page = readFileSync(join(ROOT, 'docs/hosts.md'), 'utf8');
const contacted = [...page.matchAll(/^\| `([^`*]+)` \|/gm)].map(([, host]) => host);

test('every host whose name is in the build is listed with the time at which it is contacted, or is only named', () => {
  const hosts = new Set(files.flatMap((file) => hostsIn(readFileSync(join(dist, file), 'utf8'))));
  expect([...hosts].filter((host) => !contacted.includes(host) && !Object.hasOwn(ONLY_NAMED, host))).toEqual([]);
  expect([...contacted, ...Object.keys(ONLY_NAMED)].filter((host) => host && !hosts.has(host))).toEqual([]);
});

test('a host in a text or a template is seen, and one in a comment is not', () => {
  expect(hostsIn('// https://a.example\nfetch("https://b.example/x"); fetch(`wss://c.example/${1}`)')).toEqual([
    'b.example',
    'c.example',
  ]);
});
