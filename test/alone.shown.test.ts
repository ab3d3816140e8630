// `cadre test --alone` tells a team from one agent: on the examples with scripts for both sides, and against a model server whose answers are
// right by chance, from a fixed seed. A better team is told from one agent at 20 tries, and an equal one is not.

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { answeringServer } from './support/answering-server.ts';
import { type Folder, folderWith } from './support/cli.ts';
import { ROOT } from './support/fences.ts';

let folder: Folder | undefined;
afterEach(() => {
  folder?.remove();
});

test.each([
  { example: 'help-desk', team: '2 of 2', alone: '0 of 2' },
  { example: 'ship-room', team: '1 of 1', alone: '0 of 1' },
])('$example has both sides offline, and the table claims no difference at so few tries', async (row) => {
  folder = folderWith({});
  cpSync(join(ROOT, 'examples', row.example), folder.path, {
    recursive: true,
    filter: (path) => !path.includes('.cadre'),
  });
  const { stdout, exit } = await folder.cadre(['test', '--alone']);
  expect(exit).toBe(0);
  expect(stdout).toMatch(new RegExp(`^team +${row.team}`, 'm'));
  expect(stdout).toMatch(new RegExp(`^alone +${row.alone}`, 'm'));
  expect(stdout).toMatch(/team and alone cannot be told apart at this number of tries/);
});

/** Answers right in these shares, from a seed. The one agent has the text of the other one in its prompt. */
async function noisyServer(shares: { readonly team: number; readonly alone: number }): Promise<string> {
  let seed = 20_261_119;
  const lot = (): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  return answeringServer((asked) => {
    const isRight = lot() < (asked.includes('## clerk') ? shares.alone : shares.team);
    return { content: isRight ? 'It is here.' : 'Nowhere.', input: 300 };
  });
}

test.each([
  {
    is: 'better',
    shares: { team: 0.95, alone: 0.4 },
    says: /team and alone differ: \d+ of 20 against \d+ of 20 passed/,
  },
  {
    is: 'equal',
    shares: { team: 0.7, alone: 0.7 },
    says: /team and alone cannot be told apart at this number of tries: \d+ of 20 against \d+ of 20 passed/,
  },
])('at --times 20 a team that is $is is said to be so, in figures', async ({ shares, says }) => {
  const url = await noisyServer(shares);
  folder = folderWith({
    'cadre.yaml': `providers: { local: { kind: openai-compatible, baseUrl: "${url}" } }\ndefaults: { models: [local/a] }\n`,
    'boss.md': '---\ndescription: Leads.\nagents: [clerk]\nbudget: { tokens: 100000 }\n---\nYou lead.\n',
    'clerk.md': '---\ndescription: Answers.\n---\nYou answer.\n',
    'boss.test.yaml':
      'agent: boss\ncases: { a thing is found: { input: Where is it?, expect: { answer: { contains: It is here } } } }\n',
  });
  const { stdout } = await folder.cadre(['test', '--alone', '--times', '20', '--live', '--at-once', '1']);
  expect(stdout).toMatch(says);
  expect(stdout).not.toMatch(/better|wins/);
});
