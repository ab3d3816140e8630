// Every route of the API, in the order of the reference page.

import { cadreRoutes } from './cadre-routes.ts';
import { eventRoutes } from './event-routes.ts';
import type { Route } from './route.ts';
import { runRoutes } from './run-routes.ts';
import { serviceRoutes } from './service-routes.ts';

export const ROUTES: readonly Route[] = [...cadreRoutes, ...runRoutes, ...eventRoutes, ...serviceRoutes];
