import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../shell/root-route.js';

export const approvalsRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/approvals',
    component: lazyRouteComponent(() => import('./approvals-page.js'), 'ApprovalsPage'),
  }),
] as const;
