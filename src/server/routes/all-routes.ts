// Every route of the API, in the order of the reference page.

import { approvalRoutes } from './approval-routes.ts';
import { cadreRoutes } from './cadre-routes.ts';
import { controlRoutes } from './control-routes.ts';
import { eventRoutes } from './event-routes.ts';
import { historyRoutes } from './history-routes.ts';
import type { Route } from './route.ts';
import { runRoutes } from './run-routes.ts';
import { serviceRoutes } from './service-routes.ts';
import { threadRoutes } from './thread-routes.ts';

export const ROUTES: readonly Route[] = [
  ...cadreRoutes,
  ...runRoutes,
  ...eventRoutes,
  ...controlRoutes,
  ...approvalRoutes,
  ...historyRoutes,
  ...threadRoutes,
  ...serviceRoutes,
];
