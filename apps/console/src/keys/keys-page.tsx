import { Anchor, Badge, Button, Group, Switch, Table, Text } from '@mantine/core';
import type { Key } from '@postroom/contracts';
import { Link } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { Icon } from '../ui/icons.js';
import { Page } from '../ui/page.js';
import { EmptyState, ErrorState, Loading } from '../ui/states.js';
import { Time } from '../ui/time.js';
import { hostOf, useKeys } from './keys-query.js';
import { NewKeyDialog } from './new-key.js';

/** The keys of the workspace. */
export function KeysPage(): ReactElement {
  const [isMaking, setIsMaking] = useState(false);
  return (
    <Page
      title="API keys"
      intro="Integrations and agents work with a key, within its scopes and mailboxes."
      actions={
        <>
          <Button
            variant="default"
            component={Link}
            to="/keys/agent"
            leftSection={<Icon name="agent" size={16} />}
          >
            Connect an agent
          </Button>
          <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setIsMaking(true)}>
            New key
          </Button>
        </>
      }
    >
      <KeyList />
      <NewKeyDialog opened={isMaking} onClose={() => setIsMaking(false)} />
    </Page>
  );
}

function KeyList(): ReactElement {
  const { data, error, refetch } = useKeys();
  const [showsRevoked, setShowsRevoked] = useState(false);
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading label="Loading the keys" />;
  const revoked = data.filter(({ revokedAt }) => revokedAt !== null).length;
  const shown = data.filter(({ revokedAt }) => showsRevoked || revokedAt === null);
  return (
    <>
      {shown.length === 0 ? (
        <EmptyState icon="key" title="No key yet">
          Make one for an integration, or connect an agent.
        </EmptyState>
      ) : (
        <Table.ScrollContainer minWidth={620} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
          <Table verticalSpacing="sm">
            <Table.Thead>
              <Table.Tr>
                {['Name', 'Scopes', 'Mailboxes', 'Member', 'Last used'].map((name) => (
                  <Table.Th key={name}>{name}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {shown.map((key) => (
                <KeyRow key={key.id} of={key} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {revoked > 0 && (
        <Switch
          {...{ label: `Show revoked keys (${revoked})`, checked: showsRevoked }}
          onChange={({ currentTarget: { checked } }) => setShowsRevoked(checked)}
        />
      )}
    </>
  );
}

const KeyRow = ({ of }: { of: Key }): ReactElement => (
  <Table.Tr>
    <Table.Td>
      <Group gap={6}>
        <Anchor component={Link} to={`/keys/${of.id}`} fw={600} size="sm">
          <bdi>{of.name}</bdi>
        </Anchor>
        <KeyBadges of={of} />
      </Group>
      <Text size="xs" c="dimmed">
        {of.client ? `connected from ${hostOf(of.client)}` : `ends with ${of.hint}`}
      </Text>
    </Table.Td>
    <Table.Td>{of.scopes.length}</Table.Td>
    <Table.Td>{of.mailboxes.length}</Table.Td>
    <Table.Td>
      <Text size="sm">{of.member ?? '–'}</Text>
    </Table.Td>
    <Table.Td>
      <Text size="sm">
        {of.lastUsedAt === null ? 'Never' : <Time at={of.lastUsedAt} form="relative" />}
      </Text>
    </Table.Td>
  </Table.Tr>
);

/** The properties of a key that one must not overlook. */
export function KeyBadges({ of }: { of: Key }): ReactElement {
  const words = [
    of.revokedAt !== null && 'revoked',
    of.client !== null && 'assistant',
    of.kind === 'agent' &&
      (of.approval === 'required' ? 'agent, asks first' : 'agent, writes alone'),
    of.admin && 'administrator',
    of.scopes.includes('mail:send') && 'sends mail',
    of.expiresAt !== null && `until ${of.expiresAt.slice(0, 10)}`,
  ].filter((word) => word !== false);
  return (
    <>
      {words.map((word) => (
        <Badge key={word} size="sm" variant="default" tt="none">
          {word}
        </Badge>
      ))}
    </>
  );
}
