import { Alert, Button, Center, Code, Loader, Stack, Text, Title } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { ApiProblem, messageOf } from '../api/problem.js';
import { Icon, type IconName } from './icons.js';

/** A sentence about what would be here, and the one next action. */
export const EmptyState = (props: {
  icon: IconName;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}): ReactElement => (
  <Center p="xl" mih={220}>
    <Stack align="center" gap="xs" maw={420}>
      <Text c="dimmed" component="span">
        <Icon name={props.icon} size={36} />
      </Text>
      <Title order={2} size="h4" ta="center">
        {props.title}
      </Title>
      <Text c="dimmed" size="sm" ta="center" component="div">
        {props.children}
      </Text>
      {props.action}
    </Stack>
  </Center>
);

export const Loading = ({ label = 'Loading' }: { label?: string }): ReactElement => (
  <Center p="xl" mih={220} role="status" aria-label={label}>
    <Loader size="sm" />
  </Center>
);

/** Why something could not be shown or done, with the id that an administrator asks for. */
export const ErrorState = (props: { error: unknown; onRetry?: () => void }): ReactElement => (
  <Alert color="red" variant="light" icon={<Icon name="warning" />} title="That did not work">
    <Stack gap="xs" align="flex-start">
      <Text size="sm">{messageOf(props.error)}</Text>
      {props.error instanceof ApiProblem && props.error.requestId !== null && (
        <Text size="xs" c="dimmed">
          Request <Code>{props.error.requestId}</Code>
        </Text>
      )}
      {props.onRetry && (
        <Button size="xs" variant="default" onClick={props.onRetry}>
          Try again
        </Button>
      )}
    </Stack>
  </Alert>
);

/** The way to the next page of a list that is read page by page. */
export const ShowMore = (props: {
  query: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    fetchNextPage(): unknown;
  };
  label?: string;
}): ReactElement | null =>
  props.query.hasNextPage ? (
    <Center>
      <Button
        {...{ size: 'xs', variant: 'default', loading: props.query.isFetchingNextPage }}
        onClick={() => void props.query.fetchNextPage()}
      >
        {props.label ?? 'Show more'}
      </Button>
    </Center>
  ) : null;

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
