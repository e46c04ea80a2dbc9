import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../shell/root-route.js';
import { taskSearchOf } from './search-params.js';

export const tasksRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/tasks',
    validateSearch: taskSearchOf,
    component: lazyRouteComponent(() => import('./tasks-page.js'), 'TasksPage'),
  }),
] as const;
