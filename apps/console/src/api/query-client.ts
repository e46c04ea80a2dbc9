import { QueryClient } from '@tanstack/react-query';
import { ApiProblem } from './problem.js';

/** Refusals are not repeated; what was limited or unavailable is, after the time that the server named. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      retry: (count, error) => count < 3 && isPassing(error),
      retryDelay: (count, error) =>
        ((error instanceof ApiProblem ? error.retryAfter : null) ?? 2 ** count) * 1_000,
    },
  },
});

const isPassing = (error: unknown): boolean =>
  !(error instanceof ApiProblem) || [429, 502, 503, 504].includes(error.status);
