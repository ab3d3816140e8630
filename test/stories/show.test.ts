// cadre show through the built command line: how a tree tells what was refused, denied and waited for, and what an
// answer cost with everything that led to it.

import { expect, test } from 'vitest';
import type { RunReport } from '../../src/views/report/run-report.ts';
import { type Folder, folderWith } from '../support/cli.ts';

const CONFIG = [
  'providers: {demo: {kind: scripted, script: ./demo.script.yaml}}',
  'models: {fast: {use: demo/any, price: {input: 1, output: 1}}}',
  'defaults: {models: [fast]}',
].join('\n');

const used = { usage: { input: 1000, output: 0 } };

async function inFolder(files: Readonly<Record<string, string>>, use: (folder: Folder) => Promise<void>) {
  const folder = folderWith({ 'cadre.yaml': CONFIG, ...files });
  try {
    await use(folder);
  } finally {
    folder.remove();
  }
}

/** The tree without its figures. */
const rowsOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.replace(/\s+(\d+(ms|\.\d+s|s)).*$/, '').replace(/ {2,}/g, ' '))
    .filter((line) => line !== '');

test('a denied approval is denied and a refused report refused, each with why', async () => {
  const schema = '{type: object, properties: {n: {type: number}}, required: [n]}';
  await inFolder(
    {
      'clerk.md': `---\ndescription: c\ntools: [files]\napprove: [files]\noutput: {format: json, schema: ${schema}}\n---\nGo.\n`,
      'demo.script.yaml': JSON.stringify({
        agents: {
          clerk: [{ call: { read_file: { path: 'cadre.yaml' } } }, { report: { n: 'seven' } }, { report: { n: 7 } }],
        },
      }),
    },
    async (folder) => {
      expect(await folder.cadre(['run', 'clerk.md', 'go'])).toMatchObject({ exit: 0, stdout: '{"n":7}\n' });
      const rows = rowsOf((await folder.cadre(['show', 'last', '--tree'])).stdout);
      expect(rows).toEqual([
        'clerk answered',
        '├ turn 1 (demo/any) ok',
        '│ └ a person asked about read_file denied',
        expect.stringContaining('Nobody is there to approve it.'),
        '├ turn 2 (demo/any) refused',
        '│ └ final_report refused',
        expect.stringMatching(/^│ This answer does not satisfy the contract.*\$\.n must be number$/),
        '└ turn 3 (demo/any) ok',
      ]);
    },
  );
});

test('spawned runs and waits for them have their labels in the tree', async () => {
  await inFolder(
    {
      'editor.md': '---\ndescription: e\nspawn: {agents: [reporter]}\n---\nGo.\n',
      'reporter.md': '---\ndescription: r\n---\nGo.\n',
      'demo.script.yaml': JSON.stringify({
        agents: {
          editor: [
            { call: { sessions_spawn: { agent: 'reporter', task: 'What of the mill?', label: 'mill' } } },
            { call: { sessions_wait: { labels: ['mill'] } } },
            { answer: 'done' },
          ],
          reporter: [{ answer: 'It closed.' }],
        },
      }),
    },
    async (folder) => {
      await folder.cadre(['run', 'editor.md', 'go']);
      const rows = rowsOf((await folder.cadre(['show', 'last', '--tree'])).stdout);
      expect(rows).toContain('│ └ spawned mill ok');
      expect(rows).toContain('│ └ reporter (spawn mill) answered');
      expect(rows).toContain('│ └ waited for mill ok');
    },
  );
});

test('a supervisor stands after what it heard in the tree', async () => {
  await inFolder(
    {
      'lead.md': '---\ndescription: l\nteam: {members: [ann], supervisor: self}\n---\nGo.\n',
      'ann.md': '---\ndescription: a\n---\nGo.\n',
      'demo.script.yaml': JSON.stringify({
        agents: {
          lead: [{ call: { team_broadcast: { message: 'Go on.' } } }, { report: 'decided' }],
          ann: [
            { call: { team_broadcast: { message: 'First.' } } },
            { call: { team_broadcast: { message: 'Bye.', then: 'leave-success' } } },
          ],
        },
      }),
    },
    async (folder) => {
      await folder.cadre(['run', 'lead.md', 'go']);
      const rows = rowsOf((await folder.cadre(['show', 'last', '--tree'])).stdout);
      expect(rows.filter((row) => /^[├└]/.test(row))).toEqual([
        '├ ann (member) answered',
        '├ turn 1 (demo/any) ok',
        '├ ann, again left',
        expect.stringContaining('member ann has left the team'),
        '└ turn 2 (demo/any) ok',
      ]);
    },
  );
});

test('show, its ledger and its JSON tell what the answer cost with all that led to it', async () => {
  const stage = (name: string, chain: string) => `---\ndescription: ${name}\n${chain}---\nGo.\n`;
  await inFolder(
    {
      'draft.md': stage('draft', 'advisors: [critic]\nnext: {to: check, else: polish}\n'),
      'critic.md': stage('critic', ''),
      'check.md': stage('check', 'maxTurns: 1\n'),
      'polish.md': stage('polish', ''),
      'demo.script.yaml': JSON.stringify({
        agents: {
          draft: [{ answer: 'a draft', ...used }],
          critic: [{ answer: 'a doubt', ...used }],
          check: [{ call: { nothing: {} }, ...used }],
          polish: [{ answer: 'done', ...used }],
        },
      }),
    },
    async (folder) => {
      expect(await folder.cadre(['run', 'draft.md', 'go'])).toMatchObject({ exit: 0, stdout: 'done\n' });
      const { stdout: shown } = await folder.cadre(['show', 'last']);
      expect(shown).toContain(
        'answer    by polish: $0.001 of its own, $0.003 with all that led to it, $0.001 spent on stages that were replaced',
      );
      const { stdout: ledger } = await folder.cadre(['show', 'last', '--ledger']);
      const cells = ledger.split('\n').map((line) => line.split(/ {2,}/));
      expect(cells.find(([title, next]) => title === 'AGENT' && next === 'CALLS')?.at(-1)).toBe('FOR THE ANSWER');
      expect(cells.find(([name]) => name === 'polish')).toEqual([
        'polish',
        '1',
        '1000',
        '0',
        '$0.001',
        '$0.001',
        '$0.003',
      ]);
      expect(cells.find(([name]) => name === 'total')?.slice(0, 2)).toEqual(['total', '4']);
      const report = JSON.parse((await folder.cadre(['show', 'last', '--json'])).stdout) as RunReport;
      expect(report.totals).toMatchObject({
        calls: 4,
        usd: 0.004,
        answer: {
          agent: 'polish',
          own: { calls: 1, usd: 0.001 },
          lineage: { calls: 3, usd: 0.003 },
          abandoned: { calls: 1, usd: 0.001 },
        },
      });
    },
  );
});

test('--why leads from the answer back over what each step was told to the request', async () => {
  await inFolder(
    {
      'desk.md': '---\ndescription: d\nagents: [helper]\n---\nAsk the helper.\n',
      'helper.md': '---\ndescription: h\ntools: [files]\n---\nLook.\n',
      'note.txt': 'The oil is gone.',
      'demo.script.yaml': JSON.stringify({
        agents: {
          desk: [{ call: { agent__helper: { input: 'look', reason: 'why' } } }, { answer: 'It is gone.' }],
          helper: [{ call: { read_file: { path: 'note.txt' } } }, { answer: 'The note says: gone.' }],
        },
      }),
    },
    async (folder) => {
      expect(await folder.cadre(['run', 'desk.md', 'Where is the oil?'])).toMatchObject({ exit: 0 });
      const why = (await folder.cadre(['show', '--why'])).stdout.split('\n');
      expect(why.slice(0, 4)).toEqual([
        expect.stringMatching(/^● desk answers {2}0\./),
        '│ It is gone.',
        expect.stringMatching(/^│ {3}told by helper {2}0\./),
        '│     The note says: gone.',
      ]);
      expect(why).toContain('○ you asked desk');
      const [, op = ''] = /told by helper {2}(\S+)/.exec(why.join('\n')) ?? [];
      const helper = (await folder.cadre(['show', 'last', '--why', op])).stdout;
      expect(helper).toMatch(/^○ helper decides, turn 2[\s\S]*told by read_file note\.txt[\s\S]*○ desk asks helper/);
      expect(await folder.cadre(['show', 'last', '--why', '0.99'])).toMatchObject({ exit: 2 });
      expect((await folder.cadre(['show', '--team'])).stderr).toContain('No team works in this run');
    },
  );
});
