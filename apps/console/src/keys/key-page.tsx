import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import type { Key } from '@postroom/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { api } from '../api/api.js';
import { AskDialog } from '../ui/ask-dialog.js';
import { tellDone } from '../ui/notices.js';
import { Page } from '../ui/page.js';
import { EmptyState, ErrorState, Loading } from '../ui/states.js';
import { Time } from '../ui/time.js';
import { KeyActivity, KeyRefusals } from './key-activity.js';
import { KeyForm, valuesOf } from './key-form.js';
import { KeyBadges } from './keys-page.js';
import { hostOf, keysQuery, useKeys } from './keys-query.js';

/** One key: its rights, its use, and its end. */
export function KeyPage(): ReactElement {
  const { keyId = '' } = useParams({ strict: false });
  const { data, error, refetch } = useKeys();
  const key = data?.find(({ id }) => id === keyId);
  if (key) return <OneKey of={key} />;
  return (
    <Page title="API key">
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!error && (data ? <EmptyState icon="key" title="There is no such key" /> : <Loading />)}
    </Page>
  );
}

function OneKey({ of }: { of: Key }): ReactElement {
  const client = useQueryClient();
  const isRevoked = of.revokedAt !== null;
  return (
    <Page
      title={of.name}
      width={760}
      intro={
        <>
          <Anchor component={Link} to="/keys" inherit underline="always">
            All keys
          </Anchor>{' '}
          · made <Time at={of.createdAt} /> · last used{' '}
          {of.lastUsedAt === null ? 'never' : <Time at={of.lastUsedAt} form="relative" />}
        </>
      }
      actions={!isRevoked && <Revoke of={of} />}
    >
      <Group gap={6}>
        <KeyBadges of={of} />
      </Group>
      {of.client && (
        <Text size="sm">
          An assistant that <bdi>{of.member ?? 'a member'}</bdi> has connected from{' '}
          {hostOf(of.client)}. Nobody has its secret; what you take away here counts from its next
          request on.
        </Text>
      )}
      {isRevoked ? (
        <Text size="sm">
          Revoked <Time at={of.revokedAt ?? 0} />. It can do nothing any more.
        </Text>
      ) : (
        <KeyForm
          {...{ key: of.version, values: valuesOf(of), isNew: false, submitLabel: 'Save' }}
          onSubmit={async ({ kind, approval, ...values }) => {
            const body = kind === 'agent' ? { ...values, approval } : values;
            await api.patch(`/keys/${of.id}`, body, { ifMatch: of.version });
            await client.invalidateQueries(keysQuery);
            tellDone('Saved. It is in force from the next request on.');
          }}
        />
      )}
      <Stack gap="xs">
        <Title order={2} size="h4">
          What it did
        </Title>
        <KeyActivity keyId={of.id} />
      </Stack>
      <Stack gap="xs">
        <Title order={2} size="h4">
          What was refused to it
        </Title>
        <KeyRefusals keyId={of.id} />
      </Stack>
    </Page>
  );
}

function Revoke({ of }: { of: Key }): ReactElement {
  const client = useQueryClient();
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <Button color="red" variant="light" onClick={() => setIsAsking(true)}>
        Revoke…
      </Button>
      {isAsking && (
        <AskDialog
          {...{ title: 'Revoke this key?', confirm: 'Revoke', onClose: () => setIsAsking(false) }}
          onConfirm={async () => {
            await api.delete(`/keys/${of.id}`);
            tellDone('The key is revoked');
            await client.invalidateQueries(keysQuery);
          }}
        >
          <bdi>{of.name}</bdi> stops working at once, and what it has asked for is cancelled. This
          cannot be undone.
        </AskDialog>
      )}
    </>
  );
}
