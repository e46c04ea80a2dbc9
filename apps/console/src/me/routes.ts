import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../shell/root-route.js';

export const meRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/me',
    component: lazyRouteComponent(() => import('./me-page.js'), 'MePage'),
  }),
] as const;
