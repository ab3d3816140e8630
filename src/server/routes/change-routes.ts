// The routes of a run's changes: reading them, taking them back, and making a test of the run.

import { join } from 'node:path';
import { workspaceOf } from '../../definition/definition.ts';
import { runChanges } from '../../engine/history/run-changes.ts';
import { undoRun } from '../../engine/history/undo.ts';
import { pinnedCadre, readAll, startOf } from '../../engine/pinned.ts';
import { fail } from '../../kernel/fault.ts';
import { ChangeList, SavedTestFile, SaveTest, UndoneRun, UndoRun } from '../messages/history.ts';
import { json, type Route, runRoute } from './route.ts';

export const changeRoutes: readonly Route[] = [
  runRoute({
    method: 'GET',
    path: '/api/runs/:run/changes',
    name: 'getChanges',
    tag: 'history',
    summary: 'The files that a run changed, each with its diff.',
    permission: 'see',
    answers: {
      200: { description: 'Files and diffs.', body: ChangeList },
    },
    answer: async ({ row: { run } }, { store }) => {
      const { files, changes } = await runChanges(await readAll(run, store), store.blobs);
      const body: ChangeList = {
        files: files.map(({ path, from, ops, agents, diff }) => ({
          path,
          ...(from !== undefined && { from }),
          ops,
          agents,
          diff: diff.join('\n'),
        })),
        isUndone: changes.length > 0 && changes.every(({ undo }) => undo?.state === 'done'),
      };
      return json(body);
    },
  }),
  runRoute({
    method: 'POST',
    path: '/api/runs/:run/undo',
    name: 'undoRun',
    tag: 'history',
    summary: 'Takes the changes of a run back, if nothing else has changed the files since.',
    permission: 'manage',
    body: UndoRun,
    answers: {
      200: {
        description: 'The result for each file.',
        body: UndoneRun,
      },
    },
    faults: ['run/locked', 'undo/conflict'],
    answer: async ({ row: { run }, body }, context) => {
      const { dryRun } = body;
      const within = context.cadres
        .all()
        .flatMap(({ folder, reading }) => [folder, ...(reading.cadre ? [workspaceOf(reading.cadre)] : [])]);
      return json(await undoRun(run, { dryRun }, { store: context.store, within, now: context.now }));
    },
  }),
  runRoute({
    method: 'POST',
    path: '/api/runs/:run/test',
    name: 'saveAsTest',
    tag: 'history',
    summary: 'Makes a test of a run: its input, a recording, and what held. Written beside the agents.',
    permission: 'manage',
    body: SaveTest,
    answers: {
      201: {
        description: 'The files, relative to the folder of the agents.',
        body: SavedTestFile,
      },
    },
    faults: ['usage', 'journal/divergence'],
    answer: async ({ row: { run, prefix }, body }, context) => {
      const { name, expect } = body;
      const served = context.cadres.all().find((one) => one.prefix === prefix);
      if (served === undefined) return fail('usage', `Run ${run} is of a folder that is not served here.`);
      const events = await readAll(run, context.store);
      const cadre = await pinnedCadre(startOf(events), context.store, context.load);
      const { saveTest } = await import('../../agent-tests/save-test.ts');
      const file = `${name}.test.yaml`;
      const parts = { cadre, store: context.store, ...(expect !== undefined && { expect }) };
      const { answers } = await saveTest(events, parts, join(served.folder, file));
      const saved: SavedTestFile = { file, recording: `${name}.recording.jsonl`, answers };
      return json(saved, 201);
    },
  }),
];
