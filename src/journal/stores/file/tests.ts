// Results of tests: <dir>/test-results/<id>.jsonl. The first line is what a list shows, the rest has a line for each case. A file
// is replaced whole, so a reader never sees half of one.

import { closeSync, fstatSync, readdirSync, readSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../../../kernel/fault.ts';
import { checkRunId } from '../../run-names.ts';
import { type ListedTests, MOST_TESTS, type TestResults } from '../../store.ts';
import { codeOf, openOwn, readOwn, writing } from './disk.ts';
import { makeFolder } from './folder.ts';
import { newNonce } from './holder.ts';

const ENDING = '.jsonl';
const DRAFT = '.draft';

export function fileTests(folder: string): TestResults {
  const fileOf = (id: string): string => join(folder, checkRunId(id) + ENDING);
  const ids = (): readonly string[] =>
    namesIn(folder)
      .filter((name) => name.endsWith(ENDING))
      .map((name) => name.slice(0, -ENDING.length))
      .sort()
      .reverse();
  return {
    async put(id, { head, body }) {
      const file = fileOf(id);
      writing(file, () => {
        makeFolder(folder);
        const draft = `${file}.${newNonce()}${DRAFT}`;
        const fd = openOwn(draft, 'make');
        try {
          writeFileSync(fd, `${head}\n${body}`);
        } finally {
          closeSync(fd);
        }
        renameSync(draft, file);
        for (const old of ids().slice(MOST_TESTS)) rmSync(fileOf(old), { force: true });
        clearDrafts(folder);
      });
    },
    async list() {
      return ids().flatMap((id) => firstLine(id, fileOf(id)) ?? []);
    },
    async get(id) {
      const file = fileOf(id);
      const head = firstLine(id, file);
      if (head === undefined) return undefined;
      const text = readOwn(file).toString('utf8');
      const end = text.indexOf('\n');
      return { ...head, head: text.slice(0, end), body: text.slice(end + 1) };
    },
    async remove(id) {
      const file = fileOf(id);
      writing(file, () => rmSync(file, { force: true }));
    },
  };
}

const DRAFT_LASTS_MS = 3_600_000;

/** Removes what processes left that died while they wrote. */
function clearDrafts(folder: string): void {
  for (const name of namesIn(folder).filter((one) => one.endsWith(DRAFT))) {
    const file = join(folder, name);
    const madeAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Date.now() - madeAt > DRAFT_LASTS_MS) rmSync(file, { force: true });
  }
}

/** The longest head: the names of some hundred models and agents. */
const MOST_BYTES = 262_144;

/** Undefined where the file is gone. */
function firstLine(id: string, file: string): ListedTests | undefined {
  let fd: number;
  try {
    fd = openOwn(file, 'read');
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
  try {
    const bytes = Buffer.alloc(MOST_BYTES);
    const text = bytes.subarray(0, readSync(fd, bytes)).toString('utf8');
    const end = text.indexOf('\n');
    if (end < 0) fail('journal/corrupt', `${file} is not a result of tests: remove it.`, { file });
    return { id, head: text.slice(0, end), putAt: fstatSync(fd).mtimeMs };
  } finally {
    closeSync(fd);
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return [];
    throw thrown;
  }
}
