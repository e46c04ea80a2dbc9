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
import { settingsRoute } from './settings/routes.js';
import { lazyPage, type PageLoader } from './shell/lazy-page.js';
import { NotFound, PageError } from './shell/page-error.js';
import { rootRoute, shellRoute } from './shell/root-route.js';
import { taskSearchOf } from './tasks/task-query.js';
import { Loading } from './ui/states.js';
import { deliverySearch } from './webhooks/webhooks-query.js';

const getParentRoute = (): typeof shellRoute => shellRoute;

/** A page that takes nothing from its address but its path. */
const page = <const P extends string, N extends string>(path: P, load: PageLoader<N>, name: N) =>
  createRoute({ getParentRoute, path, component: lazyPage(load, name) });

const queueRoute = createRoute({
  getParentRoute,
  path: '/approvals',
  validateSearch: queueSearch,
  component: lazyRouteComponent(() => import('./approvals/approvals-page.js'), 'ApprovalsPage'),
});

const viewRoute = createRoute({
  getParentRoute,
  path: '/inbox/$view',
  validateSearch: inboxSearchOf,
  beforeLoad: ({ params }): void => {
    if (!isView(params.view)) notFound({ throw: true });
  },
  component: lazyRouteComponent(() => import('./inbox/inbox-page.js'), 'InboxPage'),
});

const contactsRoute = createRoute({
  getParentRoute,
  path: '/contacts',
  validateSearch: contactSearchOf,
  component: lazyRouteComponent(() => import('./contacts/contacts-page.js'), 'ContactsPage'),
});

// A list is the page of its route; what is open in it stands in the path.
const openApprovals = [
  createRoute({ getParentRoute: () => queueRoute, path: '/' }),
  createRoute({ getParentRoute: () => queueRoute, path: '$approvalId' }),
] as const;
const openConversations = [
  createRoute({ getParentRoute: () => viewRoute, path: '/' }),
  createRoute({ getParentRoute: () => viewRoute, path: '/$conversationId' }),
] as const;
const openContacts = [
  createRoute({ getParentRoute: () => contactsRoute, path: '/$contactId' }),
] as const;

const pages = [
  createRoute({
    getParentRoute,
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
  queueRoute.addChildren([...openApprovals]),
  createRoute({
    getParentRoute,
    path: '/inbox',
    beforeLoad: (): void => {
      redirect({ to: '/inbox/$view', params: { view: 'all' }, replace: true, throw: true });
    },
  }),
  createRoute({
    getParentRoute,
    path: '/inbox/drafts',
    validateSearch: (given: Readonly<Record<string, unknown>>): { state?: DraftState } =>
      isDraftState(given.state) ? { state: given.state } : {},
    component: lazyRouteComponent(() => import('./compose/drafts-page.js'), 'DraftsPage'),
  }),
  viewRoute.addChildren([...openConversations]),
  contactsRoute.addChildren([...openContacts]),
  createRoute({
    getParentRoute,
    path: '/calendar',
    validateSearch: calendarSearchOf,
    component: lazyRouteComponent(() => import('./calendar/calendar-page.js'), 'CalendarPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/tasks',
    validateSearch: taskSearchOf,
    component: lazyRouteComponent(() => import('./tasks/tasks-page.js'), 'TasksPage'),
  }),
  page('/keys', () => import('./keys/keys-page.js'), 'KeysPage'),
  page('/keys/agent', () => import('./start/agent-page.js'), 'AgentPage'),
  page('/keys/$keyId', () => import('./keys/key-page.js'), 'KeyPage'),
  page('/webhooks', () => import('./webhooks/webhooks-page.js'), 'WebhooksPage'),
  createRoute({
    getParentRoute,
    path: '/webhooks/$webhookId',
    validateSearch: deliverySearch,
    component: lazyRouteComponent(() => import('./webhooks/webhook-page.js'), 'WebhookPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/audit',
    validateSearch: auditSearchOf,
    component: lazyRouteComponent(() => import('./audit/audit-page.js'), 'AuditPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/analytics',
    validateSearch: analyticsSearchOf,
    component: lazyRouteComponent(() => import('./analytics/analytics-page.js'), 'AnalyticsPage'),
  }),
  page('/me', () => import('./me/me-page.js'), 'MePage'),
  settingsRoute,
] as const;

const routeTree = rootRoute.addChildren([shellRoute.addChildren([...pages])]);

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
