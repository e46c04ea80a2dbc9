import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../shell/root-route.js';
import { contactSearchOf } from './search-params.js';

const listRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/contacts',
  validateSearch: contactSearchOf,
  component: lazyRouteComponent(() => import('./contacts-page.js'), 'ContactsPage'),
});

export const contactsRoutes = [
  listRoute.addChildren([createRoute({ getParentRoute: () => listRoute, path: '/$contactId' })]),
] as const;
