import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../shell/root-route.js';
import { isDraftState, type DraftState } from './draft-states.js';

export const composeRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/inbox/drafts',
    validateSearch: (given: Readonly<Record<string, unknown>>): { state?: DraftState } =>
      isDraftState(given.state) ? { state: given.state } : {},
    component: lazyRouteComponent(() => import('./drafts-page.js'), 'DraftsPage'),
  }),
] as const;
