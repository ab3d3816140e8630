// Agents as tools whose input is JSON: the schema that a model is given, checked as a session checks a call.

import { expect, test } from 'vitest';
import { agentTool } from '../src/patterns/agents/agent-tool.ts';
import type { AgentCard } from '../src/patterns/pattern.ts';
import { schemaCheck } from '../src/tools/json-schema.ts';
import { cardOf } from './support/by-hand.ts';

test('an agent whose input refers to parts of itself can be called', () => {
  const item = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  const list = cardOf('ann', {
    input: { format: 'json', schema: { type: 'array', items: { $ref: '#/$defs/item' }, $defs: { item } } },
  });
  const parametersOf = (card: AgentCard) => agentTool(card).spec.parameters;
  expect(schemaCheck(parametersOf(list), { input: [{ n: 1 }], reason: 'why' })).toEqual([]);
  expect(schemaCheck(parametersOf(list), { input: [{ n: 'one' }], reason: 'why' })).toHaveLength(1);
  const properties = { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } };
  const tree = cardOf('bob', {
    input: { format: 'json', schema: { type: 'object', properties, required: ['name'], additionalProperties: false } },
  });
  const given = { name: 'a', children: [{ name: 'b' }], reason: 'why' };
  expect(schemaCheck(parametersOf(tree), given)).toEqual([]);
  expect(schemaCheck(parametersOf(tree), { ...given, children: [{ name: 'b', reason: 'why' }] })).toHaveLength(1);
});
