import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../shell/root-route.js';

export const calendarRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/calendar',
    component: lazyRouteComponent(() => import('./calendar-page.js'), 'CalendarPage'),
  }),
] as const;
