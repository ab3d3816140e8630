// Makes cadres of any size, for measurements and stress: agent files with mixed edges, schemas and prompts. Pure: the
// same number gives the same texts, and they pass the check without a finding.

/** Texts by file name: `count` agents and a cadre.yaml whose model needs no network. */
export function generateCadre(count: number): ReadonlyMap<string, string> {
  const texts = new Map<string, string>([['cadre.yaml', CONFIG]]);
  for (let index = 0; index < count; index++) texts.set(`${nameOf(index)}.md`, agentText(index, count));
  return texts;
}

const CONFIG = `providers:
  demo: { kind: scripted, script: ./demo.script.yaml }
models:
  fast: { use: demo/small, contextWindow: 32768, price: { input: 0.5, output: 1.5 } }
defaults: { models: [fast], maxTurns: 12 }
limits: { maxDepth: 8 }
`;

const nameOf = (index: number): string => `agent-${String(index).padStart(4, '0')}`;

/** Agents stand in groups of eight; edges lead to later ones of the group, so there is no cycle and little depth. */
const GROUP = 8;

function agentText(index: number, count: number): string {
  const place = index % GROUP;
  const end = Math.min(count, index - place + GROUP);
  const later = (step: number): string | undefined => (index + step < end ? nameOf(index + step) : undefined);
  return `---
description: Answers questions about orders, part ${index}
usage: The number of an order, and what is to be found out about it
${edges(place, later)}${schemas(place)}temperature: 0.2
maxTurns: ${5 + place}
maxToolCallsPerTurn: 4
modelTimeout: 2m
---
You are agent ${index} of a cadre that was made to be measured.

Answer with what you know about the order. Say so where you know nothing.
`;
}

function edges(place: number, later: (step: number) => string | undefined): string {
  const [first, second, third] = [later(1), later(2), later(3)];
  if (first === undefined) return '';
  if (place === 0)
    return `agents:\n  - ${[first, second, third].filter((name) => name !== undefined).join('\n  - ')}\n`;
  if (place === 1) return `next: ${first}\n`;
  if (place === 3 && second !== undefined) return `router: { destinations: [${first}, ${second}] }\n`;
  if (place === 4) return `advisors: [${first}]\n`;
  if (place === 5 && second !== undefined)
    return `team:\n  members: [${first}]\n  supervisor: self\n  memberMaxTurns: 4\n`;
  return '';
}

function schemas(place: number): string {
  const order =
    'schema: { type: object, properties: { order: { type: string }, note: { type: string } }, required: [order] }';
  if (place === 1) return `output: { format: json, ${order} }\n`;
  if (place === 2) return `input:\n  format: json\n  ${order}\n`;
  return '';
}
