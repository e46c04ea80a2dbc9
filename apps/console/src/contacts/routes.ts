import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../shell/root-route.js';

export const contactsRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/contacts',
    component: lazyRouteComponent(() => import('./contacts-page.js'), 'ContactsPage'),
  }),
] as const;
