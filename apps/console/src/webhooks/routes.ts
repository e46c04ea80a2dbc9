import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../shell/root-route.js';
import { deliverySearch } from './search-params.js';

export const webhooksRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/webhooks',
    component: lazyRouteComponent(() => import('./webhooks-page.js'), 'WebhooksPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/webhooks/$webhookId',
    validateSearch: deliverySearch,
    component: lazyRouteComponent(() => import('./webhook-page.js'), 'WebhookPage'),
  }),
] as const;
