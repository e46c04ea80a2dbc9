import { Group, SegmentedControl, Stack, Text } from '@mantine/core';
import type { MailboxGrant } from '@postroom/contracts';
import type { ReactElement } from 'react';
import { useAccount } from '../api/account.js';

/** The mailboxes that a key may read or write. */
export function MailboxFields(props: {
  value: readonly MailboxGrant[];
  onChange: (grants: readonly MailboxGrant[]) => void;
}): ReactElement {
  const { value, onChange } = props;
  const { mailboxes } = useAccount();
  const addresses = [...new Set([...mailboxes, ...value].map(({ address }) => address))].toSorted();
  const set = (address: string, access: string): void => {
    const others = value.filter((grant) => grant.address !== address);
    onChange(access === 'read' || access === 'write' ? [...others, { address, access }] : others);
  };
  return (
    <Stack gap={6} role="group" aria-label="Mailboxes">
      <Text size="sm" fw={500}>
        Mailboxes
      </Text>
      {addresses.map((address) => (
        <Group key={address} justify="space-between" gap="xs">
          <Text size="sm">{address}</Text>
          <SegmentedControl
            {...{ size: 'xs', data: accesses, 'aria-label': `Access to ${address}` }}
            value={value.find((grant) => grant.address === address)?.access ?? 'none'}
            onChange={(access) => set(address, access)}
          />
        </Group>
      ))}
    </Stack>
  );
}

const accesses = [
  { value: 'none', label: 'No' },
  { value: 'read', label: 'Read' },
  { value: 'write', label: 'Read and write' },
];
