// An MCP server that says on stdio what a test tells it to: the tools in the file that is its first argument. With a
// second argument it says the text of that file on stderr, and ends.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [tools, lastWords] = process.argv.slice(2);
if (lastWords !== undefined) {
  process.stderr.write(readFileSync(lastWords, 'utf8'), () => process.exit(3));
} else {
  const answer = (id, result) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    if (method === 'initialize') {
      answer(id, {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'hostile', version: '1' },
      });
    } else if (method === 'tools/list') answer(id, { tools: JSON.parse(readFileSync(tools, 'utf8')) });
    else if (method === 'tools/call') answer(id, { content: [{ type: 'text', text: `called ${params.name}` }] });
    else
      process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown' } })}\n`);
  });
}
