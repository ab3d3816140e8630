// The OpenAPI document of `cadre serve`: a linter reads it, a client is generated from it and asks the server, and every status
// that it documents is reached by a test.

import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { filesBelow, textOf } from '../house/files.mjs';
import { judged } from './expected.mjs';
import { served } from './served.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = fileURLToPath(new URL('./openapi/', import.meta.url));

/** The tests that ask the server import one of these. Those with a browser are left out, which ask for nothing else. */
const ASKS = /support\/server\.ts|support\/served\.ts|server\/open-server\.ts/;
const tests = () =>
  filesBelow('test').filter((file) => /^test\/(?!browser|stories).*\.test\.ts$/.test(file) && ASKS.test(textOf(file)));

/** The generator reads types with TypeScript 5, which this package does not have: it lies in a folder of its own. */
const GENERATOR = ['openapi-typescript@7.13.0', 'typescript@5.9.3', 'openapi-fetch@0.17.0'];

const COMPILER = { strict: true, skipLibCheck: true, module: 'nodenext', target: 'es2022', types: [] };

export async function openapi() {
  const home = mkdtempSync(join(tmpdir(), 'cadre-openapi-'));
  try {
    return await served(folder, async (url) => {
      const document = await (await fetch(`${url}openapi.json`)).json();
      return [await linted(document), await asked(document, url, home), reached(document, home)];
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Each operation is a case. */
async function linted(document) {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  const failures = new Map();
  for (const { ruleId, message, location } of problems) {
    const [, path = '(document)', method = ''] = /^#\/paths\/([^/]+)\/([a-z]+)/.exec(location[0]?.pointer ?? '') ?? [];
    failures.set(`${method.toUpperCase()} ${path.replaceAll('~1', '/')}`.trim(), `${ruleId}: ${message}`);
  }
  const names = ['(document)', ...operationsOf(document).map(({ method, path }) => `${method} ${path}`)];
  return judged(
    'openapi-lint',
    names.map((name) => ({ name, failure: failures.get(name) })),
  );
}

/** The client is type-checked against what was generated from the document, then it asks the server. */
async function asked(document, url, home) {
  const tools = join(tmpdir(), 'cadre-openapi-typescript');
  if (!existsSync(join(tools, 'node_modules/openapi-fetch'))) {
    mkdirSync(tools, { recursive: true });
    ran('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', tools, ...GENERATOR], root);
  }
  writeFileSync(join(home, 'openapi.json'), JSON.stringify(document));
  cpSync(join(folder, 'client.ts'), join(home, 'client.ts'));
  cpSync(join(tools, 'node_modules'), join(home, 'node_modules'), { recursive: true });
  const generated = join(home, 'node_modules/openapi-typescript/bin/cli.js');
  ran(process.execPath, [generated, 'openapi.json', '-o', 'schema.d.ts'], home);
  writeFileSync(join(home, 'package.json'), '{"type":"module"}');
  writeFileSync(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER, files: ['client.ts'] }));
  ran(process.execPath, [join(home, 'node_modules/typescript/bin/tsc')], home);
  const cases = await linesOf([join(home, 'client.js'), url]);
  return judged('openapi-client', cases);
}

function linesOf(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    child.stdout.on('data', (part) => (out += part));
    child.once('error', reject);
    child.once('close', (status) => {
      if (status === 0)
        resolve(
          out
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line)),
        );
      else reject(new Error(`The generated client ended with ${status}: ${out}`));
    });
  });
}

/** These can be the answer to any request, and each is one case: they are given before a route is asked. */
const ANYWHERE = new Set(['400', '401', '403', '413', '415', '429', '500', '503']);

/** Every other status of an operation is a case. The operations of the heads share the faults of runs, and each is one case. */
const caseOf = ({ name, tag }, status) => {
  if (ANYWHERE.has(status)) return `any ${status}`;
  return tag === 'heads' && Number(status) >= 400 ? `a head ${status}` : `${name} ${status}`;
};

function reached(document, home) {
  const log = join(home, 'statuses.txt');
  writeFileSync(log, '');
  spawnSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--config', 'scripts/conformance/openapi/vitest.config.ts', ...tests()],
    { cwd: root, stdio: 'ignore', env: { ...process.env, CADRE_STATUSES: log } },
  );
  const operations = operationsOf(document);
  const answers = readFileSync(log, 'utf8').split('\n').filter(Boolean);
  const seen = new Set(
    answers.flatMap((line) => {
      const [method, path, status] = line.split(' ');
      const operation = operations.find((one) => one.method === method && one.pattern.test(path));
      return operation === undefined ? [] : [caseOf(operation, status)];
    }),
  );
  const names = new Set(operations.flatMap((one) => one.statuses.map((status) => caseOf(one, status))));
  return judged(
    'openapi-statuses',
    [...names].map((name) => ({ name, failure: seen.has(name) ? undefined : 'no test gets it' })),
  );
}

const operationsOf = ({ paths }) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, responses, tags }]) => ({
      tag: tags?.[0],
      path,
      method: method.toUpperCase(),
      name: operationId,
      statuses: Object.keys(responses),
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{[^}]*\}/g, '[^/]+')}$`),
    })),
  );

function ran(command, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw error ?? new Error(`${command} ${args.join(' ')}:\n${stdout}${stderr}`);
}
