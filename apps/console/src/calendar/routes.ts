import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../shell/root-route.js';
import { calendarSearchOf } from './search-params.js';

export const calendarRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/calendar',
    validateSearch: calendarSearchOf,
    component: lazyRouteComponent(() => import('./calendar-page.js'), 'CalendarPage'),
  }),
] as const;
