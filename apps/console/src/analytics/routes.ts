import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../shell/root-route.js';
import { analyticsSearchOf } from './analytics-search.js';

export const analyticsRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/analytics',
    validateSearch: analyticsSearchOf,
    component: lazyRouteComponent(() => import('./analytics-page.js'), 'AnalyticsPage'),
  }),
] as const;
