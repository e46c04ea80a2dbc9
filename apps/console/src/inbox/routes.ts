import { createRoute, lazyRouteComponent, notFound, redirect } from '@tanstack/react-router';
import { shellRoute } from '../shell/root-route.js';
import { inboxSearchOf, isView } from './search-params.js';

const viewRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/inbox/$view',
  validateSearch: inboxSearchOf,
  beforeLoad: ({ params }): void => {
    if (!isView(params.view)) notFound({ throw: true });
  },
  component: lazyRouteComponent(() => import('./inbox-page.js'), 'InboxPage'),
});

const listRoute = createRoute({ getParentRoute: () => viewRoute, path: '/' });
const conversationRoute = createRoute({
  getParentRoute: () => viewRoute,
  path: '/$conversationId',
});

export const inboxRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/inbox',
    beforeLoad: (): void => {
      redirect({ to: '/inbox/$view', params: { view: 'all' }, replace: true, throw: true });
    },
  }),
  viewRoute.addChildren([listRoute, conversationRoute]),
] as const;
