import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../shell/root-route.js';
import { auditSearchOf } from './audit-search.js';

export const auditRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/audit',
    validateSearch: auditSearchOf,
    component: lazyRouteComponent(() => import('./audit-page.js'), 'AuditPage'),
  }),
] as const;
