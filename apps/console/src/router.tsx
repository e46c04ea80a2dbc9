import {
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  redirect,
} from '@tanstack/react-router';
import { analyticsSearchOf } from './analytics/analytics-search.js';
import { accountQuery } from './api/account.js';
import { queryClient } from './api/query-client.js';
import { queueSearch } from './approvals/queue.js';
import { auditSearchOf } from './audit/audit-search.js';
import { calendarSearchOf } from './calendar/search-params.js';
import { isDraftState, type DraftState } from './compose/drafts-query.js';
import { contactSearchOf } from './contacts/contact-query.js';
import { inboxSearchOf, isView } from './inbox/search-params.js';
import { settingsRoutes } from './settings/routes.js';
import { NotFound, PageError } from './shell/page-error.js';
import { rootRoute, shellRoute } from './shell/root-route.js';
import { taskSearchOf } from './tasks/task-query.js';
import { Loading } from './ui/states.js';
import { deliverySearch } from './webhooks/webhooks-query.js';

const startRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/',
    // A sign-in leads here: who has nothing to set up begins in the inbox.
    beforeLoad: async (): Promise<void> => {
      if (router.state.resolvedLocation) return;
      const { member } = await queryClient.query({ ...accountQuery, staleTime: 'static' });
      if (member.role !== 'admin')
        redirect({ to: '/inbox/$view', params: { view: 'all' }, replace: true, throw: true });
    },
    component: lazyRouteComponent(() => import('./start/start-page.js'), 'StartPage'),
  }),
] as const;

const queueRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/approvals',
  validateSearch: queueSearch,
  component: lazyRouteComponent(() => import('./approvals/approvals-page.js'), 'ApprovalsPage'),
});

/** The page is the queue's; what is selected in it stands in the path. */
const indexRoute = createRoute({ getParentRoute: () => queueRoute, path: '/' });
const oneRoute = createRoute({ getParentRoute: () => queueRoute, path: '$approvalId' });

const approvalsRoutes = [queueRoute.addChildren([indexRoute, oneRoute])] as const;

const composeRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/inbox/drafts',
    validateSearch: (given: Readonly<Record<string, unknown>>): { state?: DraftState } =>
      isDraftState(given.state) ? { state: given.state } : {},
    component: lazyRouteComponent(() => import('./compose/drafts-page.js'), 'DraftsPage'),
  }),
] as const;

const viewRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/inbox/$view',
  validateSearch: inboxSearchOf,
  beforeLoad: ({ params }): void => {
    if (!isView(params.view)) notFound({ throw: true });
  },
  component: lazyRouteComponent(() => import('./inbox/inbox-page.js'), 'InboxPage'),
});

const inboxListRoute = createRoute({ getParentRoute: () => viewRoute, path: '/' });
const conversationRoute = createRoute({
  getParentRoute: () => viewRoute,
  path: '/$conversationId',
});

const inboxRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/inbox',
    beforeLoad: (): void => {
      redirect({ to: '/inbox/$view', params: { view: 'all' }, replace: true, throw: true });
    },
  }),
  viewRoute.addChildren([inboxListRoute, conversationRoute]),
] as const;

const contactsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/contacts',
  validateSearch: contactSearchOf,
  component: lazyRouteComponent(() => import('./contacts/contacts-page.js'), 'ContactsPage'),
});

const contactRoute = createRoute({ getParentRoute: () => contactsRoute, path: '/$contactId' });

const contactsRoutes = [contactsRoute.addChildren([contactRoute])] as const;

const calendarRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/calendar',
    validateSearch: calendarSearchOf,
    component: lazyRouteComponent(() => import('./calendar/calendar-page.js'), 'CalendarPage'),
  }),
] as const;

const tasksRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/tasks',
    validateSearch: taskSearchOf,
    component: lazyRouteComponent(() => import('./tasks/tasks-page.js'), 'TasksPage'),
  }),
] as const;

const keysRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/keys',
    component: lazyRouteComponent(() => import('./keys/keys-page.js'), 'KeysPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/keys/agent',
    component: lazyRouteComponent(() => import('./start/agent-page.js'), 'AgentPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/keys/$keyId',
    component: lazyRouteComponent(() => import('./keys/key-page.js'), 'KeyPage'),
  }),
] as const;

const webhooksRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/webhooks',
    component: lazyRouteComponent(() => import('./webhooks/webhooks-page.js'), 'WebhooksPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/webhooks/$webhookId',
    validateSearch: deliverySearch,
    component: lazyRouteComponent(() => import('./webhooks/webhook-page.js'), 'WebhookPage'),
  }),
] as const;

const auditRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/audit',
    validateSearch: auditSearchOf,
    component: lazyRouteComponent(() => import('./audit/audit-page.js'), 'AuditPage'),
  }),
] as const;

const analyticsRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/analytics',
    validateSearch: analyticsSearchOf,
    component: lazyRouteComponent(() => import('./analytics/analytics-page.js'), 'AnalyticsPage'),
  }),
] as const;

const meRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/me',
    component: lazyRouteComponent(() => import('./me/me-page.js'), 'MePage'),
  }),
] as const;

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
