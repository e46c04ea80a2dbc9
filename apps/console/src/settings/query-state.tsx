import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { ErrorState, Loading } from '../ui/states.js';

/** The result of a query; before it, a sign that it is on its way, or why not. */
export function QueryState<T>(props: {
  query: UseQueryResult<T>;
  children: (data: T) => ReactElement;
}): ReactElement {
  const { data, error, refetch } = props.query;
  if (data !== undefined) return props.children(data);
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  return <Loading />;
}
