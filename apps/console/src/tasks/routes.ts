import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../shell/root-route.js';

export const tasksRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/tasks',
    component: lazyRouteComponent(() => import('./tasks-page.js'), 'TasksPage'),
  }),
] as const;
