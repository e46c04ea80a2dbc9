import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../shell/root-route.js';

export const keysRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/keys',
    component: lazyRouteComponent(() => import('./keys-page.js'), 'KeysPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/keys/agent',
    component: lazyRouteComponent(() => import('../start/agent-page.js'), 'AgentPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/keys/$keyId',
    component: lazyRouteComponent(() => import('./key-page.js'), 'KeyPage'),
  }),
] as const;
