import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiProblem } from './problem.js';

/** A member who is no longer an administrator learns it from the next refusal: the account is read anew. */
const onError = (error: unknown): void => {
  if (error instanceof ApiProblem && error.code === 'ADMIN_REQUIRED')
    void queryClient.invalidateQueries({ queryKey: ['account'] });
};

/** Refusals are not repeated; what was limited or unavailable is, after the time that the server named. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
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
