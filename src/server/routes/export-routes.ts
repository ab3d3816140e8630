// A run as a file, as a download: whoever may see the run may take it along.

import { exportRun } from '../../engine/run-file/export-run.ts';
import { type Route, runRoute } from './route.ts';

export const exportRoutes: readonly Route[] = [
  runRoute({
    method: 'GET',
    path: '/api/runs/:run/export',
    name: 'exportRun',
    tag: 'history',
    summary: 'The run as one HTML file that opens without a server or a network, as a download.',
    permission: 'see',
    answers: {
      200: {
        description: 'The file. `cadre verify` replays what is in it.',
        types: { 'text/html': 'At most 20 MiB.' },
      },
    },
    faults: ['journal/corrupt', 'usage'],
    async answer({ row: { run } }, context) {
      const { name, html } = await exportRun(run, context);
      const headers = {
        'content-type': 'text/html; charset=utf-8',
        'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
      };
      return { kind: 'bytes', status: 200, body: html, headers };
    },
  }),
];
