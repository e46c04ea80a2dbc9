import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../shell/root-route.js';

export const webhooksRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/webhooks',
    component: lazyRouteComponent(() => import('./webhooks-page.js'), 'WebhooksPage'),
  }),
] as const;
