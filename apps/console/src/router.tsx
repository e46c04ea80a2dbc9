import { createRouter } from '@tanstack/react-router';
import { analyticsRoutes } from './analytics/routes.js';
import { queryClient } from './api/query-client.js';
import { approvalsRoutes } from './approvals/routes.js';
import { auditRoutes } from './audit/routes.js';
import { calendarRoutes } from './calendar/routes.js';
import { composeRoutes } from './compose/routes.js';
import { contactsRoutes } from './contacts/routes.js';
import { inboxRoutes } from './inbox/routes.js';
import { keysRoutes } from './keys/routes.js';
import { meRoutes } from './me/routes.js';
import { settingsRoutes } from './settings/routes.js';
import { NotFound } from './shell/not-found.js';
import { PageError } from './shell/page-error.js';
import { rootRoute, shellRoute } from './shell/root-route.js';
import { startRoutes } from './start/routes.js';
import { tasksRoutes } from './tasks/routes.js';
import { Loading } from './ui/states.js';
import { webhooksRoutes } from './webhooks/routes.js';

const routeTree = rootRoute.addChildren([
  shellRoute.addChildren([
    ...startRoutes,
    ...approvalsRoutes,
    ...composeRoutes,
    ...inboxRoutes,
    ...contactsRoutes,
    ...calendarRoutes,
    ...tasksRoutes,
    ...keysRoutes,
    ...webhooksRoutes,
    ...settingsRoutes,
    ...auditRoutes,
    ...analyticsRoutes,
    ...meRoutes,
  ]),
]);

export const router = createRouter({
  routeTree,
  context: { queryClient },
  defaultPreload: 'intent',
  defaultPendingComponent: Loading,
  defaultErrorComponent: PageError,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
