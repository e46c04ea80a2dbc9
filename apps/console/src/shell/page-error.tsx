import { Anchor, Box, Center } from '@mantine/core';
import { Link, useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { ApiProblem } from '../api/problem.js';
import { EmptyState, ErrorState } from '../ui/states.js';
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

/** The browser's message about a missing chunk does not help. */
const pageFault = (error: unknown): unknown =>
  upgradeState.isWaiting()
    ? new Error('Postroom was upgraded, and this page is not loaded yet. Load the page anew.')
    : error;

/** Instead of a page that only administrators see; it may have been taken away while it was open. */
export const NotAllowed = (): ReactElement => (
  <Center mih="60vh">
    <EmptyState
      icon="safety"
      title="This page is for administrators"
      action={
        <Anchor component={Link} to="/inbox">
          To the inbox
        </Anchor>
      }
    >
      You are a member of {useAccount().workspace.name}. Ask one of its administrators to change
      what you need, or to make you one.
    </EmptyState>
  </Center>
);

export const NotFound = (): ReactElement => (
  <Center mih="60vh">
    <EmptyState
      icon="search"
      title="There is no such page"
      action={
        <Anchor component={Link} to="/">
          To the first page
        </Anchor>
      }
    >
      The address may be incomplete, or what it named is gone.
    </EmptyState>
  </Center>
);
