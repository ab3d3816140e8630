import { tmpdir } from 'node:os';
import { afterEach, expect, test, vi } from 'vitest';
import { cadreFromTexts } from '../../definition/load.ts';
import type { LoadedCadre } from '../../run/loaded-cadre.ts';
import type { AgentTools } from '../../run/resources.ts';
import { askedTool } from './asked-tool.ts';

const CONFIG = `restTools:
  pay:
    description: Pays.
    method: POST
    url: "https://pay.example/v1/orders/{order}?key=\${PAY_TOKEN}"
    headers: { authorization: "Bearer \${PAY_TOKEN}", x-customer: "{customer}" }
    input: {schema: {type: object, properties: {order: {type: string}, customer: {type: string}, amount: {type: number}}}}
  look: {description: Looks., method: GET, url: "https://pay.example/orders", input: {schema: {type: object, properties: {q: {type: string}}}}}
mcpServers: {docs: {command: "false"}}
`;
const cadre = cadreFromTexts(
  tmpdir(),
  new Map([
    ['cadre.yaml', CONFIG],
    ['a.md', '---\nmodels: [openai/x]\ntools: [mcp:docs]\n---\nx'],
  ]),
);
afterEach(() => vi.unstubAllEnvs());

test('a REST call is told as method and address; headers and secrets are not', async () => {
  vi.stubEnv('PAY_TOKEN', 'very-secret-17');
  const given = { order: 'a b', customer: 'Ada', amount: 3 };
  const told = await askedTool({ name: 'pay', source: 'rest:pay', arguments: given }, cadre);
  expect(told?.repeat).toBe('never');
  expect(told?.request?.method).toBe('POST');
  expect(told?.request?.url).toMatch(/^https:\/\/pay\.example\/v1\/orders\/a%20b\?key=.*redacted/);
  expect(JSON.stringify(told)).not.toMatch(/very-secret|Ada|authorization/);
  expect(await askedTool({ name: 'look', source: 'rest:look', arguments: { q: 'x' } }, cadre)).toEqual({
    repeat: 'safe',
    request: { method: 'GET', url: 'https://pay.example/orders?q=x' },
  });
});

test('a call that cannot be filled in tells only if it is made again', async () => {
  const look = (given: unknown) => askedTool({ name: 'look', source: 'rest:look', arguments: given }, cadre);
  expect(await look('no object')).toEqual({ repeat: 'safe' });
  expect(await askedTool({ name: 'pay', source: 'rest:pay', arguments: {} }, cadre)).toBeUndefined(); // PAY_TOKEN is not set
});

test.each([
  ['files/read_file', 'safe'],
  ['files:write/edit_file', 'decided'],
])('%s is known without anything being started: %s', async (source, repeat) => {
  expect(await askedTool({ source, arguments: {} }, cadre)).toEqual({ repeat });
});

test('a server that is not connected is not started, and nothing is claimed of its tools', async () => {
  const call = { name: 'find', source: 'mcp:docs/find', arguments: {} };
  expect(await askedTool(call, cadre)).toBeUndefined();
  const opened = {
    tools: new Map([['find', { repeat: 'safe' }]]),
    addresses: new Map([['find', 'mcp:docs/find']]),
  } as unknown as AgentTools;
  const atWork = (tools: AgentTools | undefined) =>
    ({ recordable: cadre, resources: { openedTools: () => tools } }) as unknown as LoadedCadre;
  expect(await askedTool(call, cadre, atWork(undefined))).toBeUndefined();
  expect(await askedTool({ name: 'run_command', source: 'shell/run_command' }, cadre)).toBeUndefined(); // no process for it
  expect(await askedTool(call, cadre, atWork(opened))).toEqual({ repeat: 'safe' });
});
