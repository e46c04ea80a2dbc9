import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../shell/root-route.js';

export const inboxRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/inbox',
    component: lazyRouteComponent(() => import('./inbox-page.js'), 'InboxPage'),
  }),
] as const;
