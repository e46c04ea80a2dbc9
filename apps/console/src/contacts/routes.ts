import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../shell/root-route.js';
import { contactSearchOf } from './search-params.js';

const listRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/contacts',
  validateSearch: contactSearchOf,
  component: lazyRouteComponent(() => import('./contacts-page.js'), 'ContactsPage'),
});

const contactRoute = createRoute({ getParentRoute: () => listRoute, path: '/$contactId' });

export const contactsRoutes = [listRoute.addChildren([contactRoute])] as const;
