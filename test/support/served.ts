// A server on loopback with agents on the scripted model, for tests with the clients of other makers.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { RunStore, RunSummary } from '../../src/journal/store.ts';
import { type OpenedServer, openServer } from '../../src/server/open-server.ts';
import { fileStore } from '../../src/stores/file/file-store.ts';
import type { Tool } from '../../src/tools/tool.ts';

export interface Served {
  readonly server: OpenedServer;
  readonly url: string;
  readonly token: string;
  readonly store: RunStore;
  readonly folder: string;
  /** The lines that the server wrote to its log. */
  readonly log: readonly string[];
  /** The runs of the store, oldest first. */
  runs(): Promise<readonly RunSummary[]>;
  /** Ends the server and starts another one on the same folder. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export async function served(files: Readonly<Record<string, string>>, tools: readonly Tool[] = []): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-heads-'));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  const dir = join(folder, '.cadre');
  const log: string[] = [];
  const open = () =>
    openServer(folder, {
      store: fileStore(dir, { fsync: 'never', warn: (text) => log.push(text) }),
      dir,
      port: 0,
      tools,
      version: '0.0.0',
      log: (text) => log.push(text),
    });
  let server = await open();
  return {
    get server() {
      return server;
    },
    get url() {
      return server.url;
    },
    get token() {
      return server.token ?? '';
    },
    get store() {
      return server.context.store;
    },
    folder,
    log,
    runs: async () => [...(await server.context.store.list())].reverse(),
    async restart() {
      await server.close();
      server = await open();
    },
    async close() {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The agents that most tests of heads use. */
export const AGENTS: Readonly<Record<string, string>> = {
  'cadre.yaml': [
    'providers:',
    '  demo: { kind: scripted, script: ./demo.script.yaml }',
    'models:',
    '  demo: { use: demo/any, price: { input: 1, output: 2 } }',
    'defaults: { models: [demo] }',
    'server:',
    '  tokens:',
    '    guest: { token: guest-token-of-the-tests, agents: [echo], may: [run] }',
    '    looker: { token: looker-token-of-the-tests, may: [see] }',
  ].join('\n'),
  'echo.md': '---\ndescription: Says what it was asked.\n---\nYou repeat.',
  'clerk.md': [
    '---',
    'description: Files things.',
    'output: { format: json, schema: { type: object, properties: { filed: { type: string } }, required: [filed] } }',
    '---',
    'You file.',
  ].join('\n'),
  'looker.md': '---\ndescription: Looks before it answers.\ntools: [files]\n---\nYou look.',
  'boss.md': '---\ndescription: Asks others.\nagents: [echo]\n---\nYou delegate.',
  'broken.md': '---\ndescription: Cannot answer.\nmaxRetries: 1\n---\nYou fail.',
  'tired.md': '---\ndescription: Never finds an end.\nmaxTurns: 2\ntools: [files]\n---\nYou go on.',
  'poor.md': '---\ndescription: Has no money.\nbudget: { usd: 0.0000001 }\n---\nYou spend.',
  'slow.md': '---\ndescription: Takes its time.\n---\nYou wait.',
  'form.md': [
    '---',
    'description: Takes a form.',
    'input: { format: json, schema: { type: object, properties: { order: { type: string } }, required: [order], additionalProperties: false } }',
    '---',
    'You read forms.',
  ].join('\n'),
  'demo.script.yaml': [
    'agents:',
    '  echo:',
    '    - when: { history: "my name is Ada" }',
    '      answer: "Your name is Ada."',
    '    - when: { input: "/./" }',
    '      answer: "You said: {{input}}"',
    '      usage: { input: 10, output: 5 }',
    '  clerk:',
    '    - report: { filed: "yes" }',
    '  looker:',
    '    - say: Let me look.',
    '      call: { list_files: { path: "." } }',
    '    - answer: I looked.',
    '  boss:',
    '    - call: { agent__echo: { input: hello, reason: to know } }',
    '      usage: { input: 100, output: 10 }',
    '    - answer: They said it.',
    '      usage: { input: 200, output: 20 }',
    '  broken:',
    '    - fault: refused-key',
    '  tired:',
    '    - call: { list_files: { path: "." } }',
    '      say: Still at it.',
    '      repeat: true',
    '  poor:',
    '    - answer: Too much.',
    '  slow:',
    '    - fault: stall',
    '      answer: one two three four five six seven eight nine ten',
    '  form:',
    '    - answer: "Order {{input.order}} is here."',
  ].join('\n'),
};
