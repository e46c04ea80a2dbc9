import { Box } from '@mantine/core';
import { useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { ApiProblem } from '../api/problem.js';
import { ErrorState } from '../ui/states.js';
import { NotAllowed } from './not-allowed.js';
import { upgradeState } from './upgrades.js';

/** Stands in for a page that broke; the frame around it stays. */
export function PageError({ error, reset }: ErrorComponentProps): ReactElement {
  const router = useRouter();
  if (error instanceof ApiProblem && error.code === 'ADMIN_REQUIRED') return <NotAllowed />;
  const retry = (): void => {
    reset();
    void router.invalidate();
  };
  return (
    <Box p="lg" maw={640}>
      <ErrorState error={pageFault(error)} onRetry={retry} />
    </Box>
  );
}

/** A chunk that is gone has a message that helps nobody. */
const pageFault = (error: unknown): unknown =>
  upgradeState.isWaiting()
    ? new Error('Postroom was upgraded, and this page is not loaded yet. Load the page anew.')
    : error;
