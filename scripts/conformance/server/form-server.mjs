// Asks in the middle of a call for what the scenarios of the suite want to be asked: the question goes through Cadre to the
// client of the suite.

import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const OPTIONS = ['option1', 'option2', 'option3'];
const TITLED = ['First', 'Second', 'Third'].map((name, index) => ({
  const: `value${index + 1}`,
  title: `${name} Option`,
}));

const FORMS = {
  user: {
    properties: {
      username: { type: 'string', description: "User's response" },
      email: { type: 'string', description: "User's email address" },
    },
    required: ['username', 'email'],
  },
  defaults: {
    properties: {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    },
  },
  enums: {
    properties: {
      untitledSingle: { type: 'string', enum: OPTIONS },
      titledSingle: { type: 'string', oneOf: TITLED },
      legacyEnum: {
        type: 'string',
        enum: ['opt1', 'opt2', 'opt3'],
        enumNames: ['Option One', 'Option Two', 'Option Three'],
      },
      untitledMulti: { type: 'array', items: { type: 'string', enum: OPTIONS } },
      titledMulti: { type: 'array', items: { anyOf: TITLED } },
    },
  },
};

const server = new McpServer({ name: 'forms', version: '1' });
for (const [name, form] of Object.entries(FORMS)) {
  const question = { mode: 'form', message: 'Please fill this in.', requestedSchema: { type: 'object', ...form } };
  server.registerTool(name, { description: name, inputSchema: z.object({}) }, async (_input, { mcpReq }) => {
    const answer = await mcpReq.elicitInput(question);
    return { content: [{ type: 'text', text: `action=${answer.action}, content=${JSON.stringify(answer.content)}` }] };
  });
}
await server.connect(new StdioServerTransport());
