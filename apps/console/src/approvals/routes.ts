import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../shell/root-route.js';
import { queueSearch } from './search-params.js';

const queueRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/approvals',
  validateSearch: queueSearch,
  component: lazyRouteComponent(() => import('./approvals-page.js'), 'ApprovalsPage'),
});

/** The page is the queue's; what is selected in it stands in the path. */
const indexRoute = createRoute({ getParentRoute: () => queueRoute, path: '/' });
const oneRoute = createRoute({ getParentRoute: () => queueRoute, path: '$approvalId' });

export const approvalsRoutes = [queueRoute.addChildren([indexRoute, oneRoute])] as const;
