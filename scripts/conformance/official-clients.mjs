// The heads of `cadre serve` and `cadre mcp` with the clients that the makers of each protocol publish: tests of the suite, counted
// by the package that they import.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { filesBelow, root, textOf } from '../house/files.mjs';
import { judged } from './expected.mjs';

const PACKAGES = ['openai', '@anthropic-ai/sdk', '@modelcontextprotocol/client', '@a2a-js/sdk', '@ai-sdk/openai'];

const CALLS = new Map([['test/support/a2a.ts', '@a2a-js/sdk']]);

export function officialClients() {
  const files = filesBelow('test/heads').filter((file) => file.endsWith('.test.ts'));
  const results = resultsOf(files);
  return PACKAGES.map((name) => {
    const those = files.filter((file) => isUsed(name, textOf(file)));
    const cases = those.flatMap((file) =>
      (results.get(file) ?? []).map(({ fullName, status, failureMessages }) => ({
        name: `${file}: ${fullName}`,
        failure: status === 'failed' ? failureMessages[0] : undefined,
      })),
    );
    if (cases.length === 0) throw new Error(`No test of a head imports ${name}.`);
    return { ...judged(`client-${name.replaceAll(/[@/]/g, ' ').trim().replaceAll(' ', '-')}`, cases) };
  });
}

const isUsed = (name, text) =>
  text.includes(`from '${name}`) ||
  [...CALLS].some(([file, other]) => other === name && text.includes(`/${file.slice('test/'.length)}'`));

function resultsOf(files) {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-clients-'));
  const report = join(folder, 'report.json');
  try {
    spawnSync(
      process.execPath,
      ['node_modules/vitest/vitest.mjs', 'run', '--reporter=json', `--outputFile=${report}`, ...files],
      { cwd: root, stdio: 'ignore' },
    );
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
    return new Map(testResults.map(({ name, assertionResults }) => [name.slice(root.length + 1), assertionResults]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
