import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../shell/root-route.js';

export const auditRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/audit',
    component: lazyRouteComponent(() => import('./audit-page.js'), 'AuditPage'),
  }),
] as const;
