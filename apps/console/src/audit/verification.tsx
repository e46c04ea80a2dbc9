import type { AuditVerdict } from '@postroom/contracts';
import { Alert, Button, Code, Group, Progress, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api } from '../api/api.js';
import { Icon } from '../ui/icons.js';
import { ErrorState } from '../ui/states.js';
import { wholeTime } from '../ui/time.js';

/** Walks the chain on request, and says whether it is whole. */
export function Verification(): ReactElement {
  const walk = useMutation({ mutationFn: () => api.get<AuditVerdict>('/audit/verify') });
  return (
    <Stack gap="xs">
      <Group>
        <Button
          {...{ variant: 'default', loading: walk.isPending, onClick: () => walk.mutate() }}
          leftSection={<Icon name="safety" size={16} />}
        >
          Verify the chain
        </Button>
        {walk.isPending && (
          <Text size="sm" c="dimmed" role="status">
            Each entry is computed anew; a long chain takes a while.
          </Text>
        )}
      </Group>
      {walk.isPending && <Progress value={100} animated size="xs" aria-label="Verification" />}
      {walk.isError && <ErrorState error={walk.error} onRetry={() => walk.mutate()} />}
      {walk.data && <Verdict verdict={walk.data} />}
    </Stack>
  );
}

function Verdict({ verdict }: { verdict: AuditVerdict }): ReactElement {
  const { ok, entries, sealedThrough, unsealed, firstBrokenId } = verdict;
  const count = `${entries.toLocaleString('en')} ${entries === 1 ? 'entry' : 'entries'}`;
  const waiting = unsealed > 0 ? ` ${unsealed.toLocaleString('en')} are still to be sealed.` : '';
  if (ok)
    return (
      <Alert
        {...{ color: 'teal', variant: 'light', role: 'status', icon: <Icon name="check" /> }}
        title="The chain is whole"
      >
        {sealedThrough === null
          ? `Nothing is sealed yet.${waiting}`
          : `${count}, sealed through ${wholeTime(new Date(sealedThrough))}.${waiting}`}
      </Alert>
    );
  return (
    <Alert
      {...{ color: 'red', variant: 'light', icon: <Icon name="warning" /> }}
      title="The chain is broken"
    >
      <Text size="sm">
        {count} follow from each other. The next one does not:{' '}
        <Code>{firstBrokenId ?? 'unknown'}</Code>. Somebody has changed or removed an entry in the
        database. Keep the exports you have, and tell whoever runs this Postroom.
      </Text>
    </Alert>
  );
}
