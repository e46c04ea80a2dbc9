import { createRootRouteWithContext, createRoute } from '@tanstack/react-router';
import type { QueryClient } from '@tanstack/react-query';
import { accountQuery } from '../api/account.js';
import { ErrorState } from '../ui/states.js';
import { NotFound } from './page-error.js';
import { Shell } from './shell.js';

const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  notFoundComponent: NotFound,
});

/** The frame around every page of a signed-in member, which has its account. */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  loader: ({ context }) => context.queryClient.query({ ...accountQuery, staleTime: 'static' }),
  component: Shell,
  errorComponent: ({ error, reset }) => <ErrorState error={error} onRetry={reset} />,
});

export { rootRoute };
