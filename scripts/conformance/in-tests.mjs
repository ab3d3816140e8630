// Suites that are run as tests of the source (test/suites), with their results handed over in a folder.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

export const yaml = () => inTests('yaml', {});

export const jsonSchema = () => inTests('json-schema', { JSON_SCHEMA_SUITE: jsonSchemaSuite() });

function inTests(file, env) {
  const reports = mkdtempSync(join(tmpdir(), 'cadre-suites-'));
  try {
    const { status, stdout } = spawnSync(
      process.execPath,
      ['node_modules/vitest/vitest.mjs', 'run', `test/suites/${file}.test.ts`],
      { cwd: root, encoding: 'utf8', env: { ...process.env, ...env, CADRE_SUITE_REPORTS: reports } },
    );
    const results = readdirSync(reports)
      .toSorted()
      .map((name) => JSON.parse(readFileSync(join(reports, name), 'utf8')));
    if (results.length === 0 || (status !== 0 && results.every(({ wrong }) => wrong.length === 0)))
      throw new Error(`test/suites/${file}.test.ts did not run to its end:\n${stdout}`);
    return results;
  } finally {
    rmSync(reports, { recursive: true, force: true });
  }
}

/** Debian has the suite for draft 7; its package is unpacked where it is not installed. */
function jsonSchemaSuite() {
  const installed = '/usr/share/json-schema-test-suite';
  if (existsSync(installed)) return installed;
  const folder = mkdtempSync(join(tmpdir(), 'cadre-json-schema-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const ran = (command, ...args) => {
    const { status, stderr, error } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
    if (status !== 0)
      throw new Error(
        `${command} ${args.join(' ')}: ${error?.message ?? stderr}. Install Debian's package json-schema-test-suite, or run apt-get update first.`,
      );
  };
  ran('apt-get', 'download', 'json-schema-test-suite');
  const [file] = readdirSync(folder).filter((name) => name.endsWith('.deb'));
  ran('dpkg', '-x', file, 'unpacked');
  return join(folder, 'unpacked', installed);
}
