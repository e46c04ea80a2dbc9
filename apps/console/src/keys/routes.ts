import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../shell/root-route.js';

export const keysRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/keys',
    component: lazyRouteComponent(() => import('./keys-page.js'), 'KeysPage'),
  }),
] as const;
