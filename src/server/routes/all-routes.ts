// Every route of the API, in the order of the reference page.

import type { Address } from '../address.ts';
import { allHeads } from '../heads/all-heads.ts';
import { OpenApiDocument } from '../messages/service.ts';
import { approvalRoutes } from './approval-routes.ts';
import { blobRoutes } from './blob-routes.ts';
import { cadreRoutes } from './cadre-routes.ts';
import { changeRoutes } from './change-routes.ts';
import { controlRoutes } from './control-routes.ts';
import { eventRoutes } from './event-routes.ts';
import { exportRoutes } from './export-routes.ts';
import { filterRoutes } from './filter-routes.ts';
import { historyRoutes } from './history-routes.ts';
import { noteRoutes } from './note-routes.ts';
import { openApiDocument } from './openapi.ts';
import { json, type Route, route } from './route.ts';
import { runRoutes } from './run-routes.ts';
import { serviceRoutes } from './service-routes.ts';
import { testRoutes } from './test-routes.ts';
import { threadRoutes } from './thread-routes.ts';

const apiRoutes: readonly Route[] = [
  ...cadreRoutes,
  ...runRoutes,
  ...blobRoutes,
  ...filterRoutes,
  ...noteRoutes,
  ...eventRoutes,
  ...controlRoutes,
  ...approvalRoutes,
  ...historyRoutes,
  ...exportRoutes,
  ...changeRoutes,
  ...threadRoutes,
  ...testRoutes,
  ...serviceRoutes,
];

/** The route that tells of those above. */
const openApiRoute: Route = route({
  method: 'GET',
  path: '/openapi.json',
  name: 'getOpenApi',
  tag: 'service',
  summary: 'This API as an OpenAPI 3.1 document.',
  permission: 'see',
  answers: { 200: { description: 'The document.', body: OpenApiDocument } },
  answer: async (_request, { version }) => json(openApiDocument(ADDRESSES, version)),
});

export const ROUTES: readonly Route[] = [...apiRoutes, openApiRoute];

/** Everything that the server answers, beside the page and the log-in to it. */
export const ADDRESSES: readonly Address[] = [...ROUTES, ...allHeads(undefined).flatMap(({ routes }) => routes)];
