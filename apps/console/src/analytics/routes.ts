import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../shell/root-route.js';

export const analyticsRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/analytics',
    component: lazyRouteComponent(() => import('./analytics-page.js'), 'AnalyticsPage'),
  }),
] as const;
