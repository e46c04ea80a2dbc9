import { Alert, Code, Group, Stack, Text } from '@mantine/core';
import type { NewKey } from '@postroom/contracts';
import type { ReactElement } from 'react';
import { CopyButton } from '../ui/copy-button.js';
import { Icon } from '../ui/icons.js';

/** The address of the public API of this deployment. */
export const apiUrl = (): string => `${location.origin}/public`;

/** A first request with a key, that works as it stands. */
export const curlOf = ({ key, secret }: NewKey): string => {
  const [mailbox] = key.mailboxes;
  const path =
    mailbox && key.scopes.includes('read:conversations')
      ? `/v1/conversations?mailbox=${mailbox.address}`
      : '/v1/me';
  return `curl -H 'X-Api-Key: ${secret}' '${apiUrl()}${path}'`;
};

/** The secret of a new key, shown this once, with a first request. */
export const SecretOnce = ({ made }: { made: NewKey }): ReactElement => (
  <Stack gap="sm">
    <Alert color="yellow" variant="light" icon={<Icon name="key" />} title="Copy the key now">
      It is shown this once. If it is lost, make another and revoke this one.
    </Alert>
    <Copied label="Key" value={made.secret} />
    <Copied label="Try it" value={curlOf(made)} />
  </Stack>
);

export const Copied = ({ label, value }: { label: string; value: string }): ReactElement => (
  <Stack gap={4} role="group" aria-label={label}>
    <Group justify="space-between">
      <Text size="sm" fw={500}>
        {label}
      </Text>
      <CopyButton value={value} />
    </Group>
    <Code block tabIndex={0} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
      {value}
    </Code>
  </Stack>
);
