// The choice of an agent, its graph, and questions to a person in each of their states.

import type { ApprovalInfo, CadreInfo } from '../../src/server/protocol.ts';
import { approvals, untaken } from '../src/data/approvals.ts';
import { RunData } from '../src/data/run-data.ts';
import { AgentGraph } from '../src/parts/agent-graph.tsx';
import { AgentChoice } from '../src/parts/ask/agent-choice.tsx';
import { AskAgent } from '../src/parts/ask/ask-agent.tsx';
import { Asks } from '../src/parts/asks/asks.tsx';
import { nothing, type Specimens } from './specimen.tsx';

const AT = 1_800_000_000_000;
/** Its events never arrive: the questions are those of the list. */
const run = new RunData('r1');

const DIFF = `--- a/src/speed.js
+++ b/src/speed.js
@@ -7,6 +7,6 @@
 /** Hours and minutes until a passage is sailed. */
 export function passage(miles, speed) {
-  const hours = Math.round(miles / speed);
+  const hours = Math.floor(miles / speed);
   return { hours };
 }
`;

const question = (path: string, about: unknown, more: Partial<ApprovalInfo> = {}): ApprovalInfo => ({
  run: 'r1',
  agent: 'fixer',
  state: 'running',
  path,
  asker: 'fixer',
  prompt: 'fixer wants to call it',
  about,
  at: AT - 42_000,
  digest: path,
  shown: '',
  tool: { repeat: 'decided' },
  ...more,
});

const QUESTIONS = {
  'a change': question('0.1', {
    id: 'a',
    name: 'edit_file',
    arguments: { path: 'src/speed.js' },
    preview: { kind: 'diff', paths: ['src/speed.js'], text: DIFF },
  }),
  'a command': question('0.2', {
    id: 'b',
    name: 'run_command',
    arguments: { command: 'npm test' },
    preview: { kind: 'command', command: 'npm test', cwd: '/work', sandbox: 'nothing' },
  }),
  arguments: question('0.3', { id: 'c', name: 'pay', arguments: { order: '17', amount: 189.5, currency: 'EUR' } }),
  'options to choose from': question('0.4', {
    id: 'd',
    name: 'ask_person',
    source: 'person/ask_person',
    arguments: { question: 'Which harbour is meant?', options: ['North', 'South'] },
  }),
  'in words': question('0.5', {
    id: 'e',
    name: 'ask_person',
    source: 'person/ask_person',
    arguments: { question: 'Which harbour is meant?' },
  }),
  'the form of a server': question('0.7', {
    kind: 'question',
    server: 'shop',
    message: 'What do you want?',
    form: {
      type: 'object',
      properties: {
        size: { type: 'string', enum: ['small', 'large'], default: 'small' },
        count: { type: 'integer', minimum: 1, default: 2, description: 'how many of them' },
        harbour: { type: 'string', enum: ['Port Ellen', 'Port Charlotte', 'Stromness'] },
        card: { type: 'string', title: 'Words on the card' },
        wrapped: { type: 'boolean' },
        extras: { type: 'array', items: { enum: ['ribbon', 'box'] }, default: ['box'] },
      },
      required: ['size', 'count'],
    },
  }),
  'a sign-in': question(
    '0.8',
    {
      kind: 'sign-in',
      server: 'notes',
      url: 'https://notes.example/mcp',
      why: 'Nobody has signed in.',
    },
    { prompt: 'The MCP server "notes" wants a sign-in' },
  ),
};
const DECIDED = question('0.6', QUESTIONS['a change'].about);

approvals.value = Object.values(QUESTIONS);
untaken.value = [{ ...DECIDED, verdict: { approved: false, note: 'Not today.', by: 'ci' } }];

const asks = (path: string, layout: 'wide' | 'box' | 'page') => (
  <Asks run="r1" path={path} data={run} layout={layout} step={undefined} />
);

const agent = (name: string, description: string): CadreInfo['agents'][number] => ({
  name: `help-desk/${name}`,
  prefix: 'help-desk/',
  file: `${name}.md`,
  description,
  models: ['demo'],
  patterns: [],
  tools: [],
  approve: [],
  input: { format: 'text' },
  output: { format: 'text' },
  chat: true,
  maxTurns: 10,
});

const NAMES = {
  'front-desk': 'Takes every request and sends it to whoever can deal with it.',
  policy: "Says what the shop's policies allow.",
  refunds: 'Decides on refunds and prepares the refund order.',
};

const CADRE = {
  version: '0.3.0',
  name: 'help-desk',
  cadres: [],
  agents: Object.entries(NAMES).map(([name, does]) => agent(name, does)),
  graph: {
    nodes: Object.entries(NAMES).map(([name, description]) => ({
      name: `help-desk/${name}`,
      file: `${name}.md`,
      description,
    })),
    edges: [
      { from: 'help-desk/front-desk', to: 'help-desk/policy', kind: 'advisors', label: 'advisors', dashed: true },
      { from: 'help-desk/front-desk', to: 'help-desk/refunds', kind: 'router', label: 'router' },
    ],
  },
  diagnostics: [],
  bounds: {},
  models: [],
} as unknown as CadreInfo;

const choice = (
  <AgentChoice cadre={CADRE} chosen="help-desk/front-desk" isFirst={false} onChoose={nothing} onChosen={nothing} />
);

export const ASKING: Specimens = {
  id: 'asking',
  title: 'Asking an agent, and being asked',
  width: 'wide',
  of: {
    'choice of an agent: open': choice,
    'ask an agent': <AskAgent cadre={CADRE} isFirstVisit={false} />,
    'graph of the agents': (
      <AgentGraph
        graph={CADRE.graph}
        chosen="help-desk/front-desk"
        diagnostics={[]}
        live={new Map([['help-desk/refunds', 2]])}
        says="you ask here"
      />
    ),
    ...Object.fromEntries(
      Object.entries(QUESTIONS).map(([name, { path }]) => [`question: ${name}`, asks(path, 'wide')]),
    ),
    'question: in a column of texts': asks('0.3', 'box'),
    'question: over a whole screen': asks('0.3', 'page'),
    'question: decided': asks('0.6', 'wide'),
    'question: on its way': asks('0.9', 'wide'),
  },
};
