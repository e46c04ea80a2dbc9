import { Group, Select } from '@mantine/core';
import type { ApprovalRequest } from '@postroom/contracts';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { operations } from './request/headline.js';

/** The filters of the queue, kept in the address. */
export function QueueFilters({ items }: { items: readonly ApprovalRequest[] }): ReactElement {
  const search = useSearch({ from: '/shell/approvals' });
  const navigate = useNavigate();
  const { mailboxes } = useAccount();
  const keys = useKnownKeys(items, search.key);
  const filters = [
    { name: 'key', label: 'Agent', data: keys },
    { name: 'mailbox', label: 'Mailbox', data: mailboxes.map(({ address }) => address) },
    {
      name: 'operation',
      label: 'Kind',
      data: Object.entries(operations).map(([value, { label }]) => ({ value, label })),
    },
  ] as const;
  return (
    <Group gap={6} mt="xs" grow wrap="nowrap" preventGrowOverflow>
      {filters.map(({ name, label, data }) => (
        <Select
          key={name}
          {...{ size: 'xs', placeholder: label, clearable: true, searchable: true }}
          aria-label={label}
          data={[...data]}
          value={search[name] ?? null}
          comboboxProps={{ width: 280, position: 'bottom-start' }}
          onChange={(value) => {
            const { [name]: _, ...others } = search;
            void navigate({
              to: '/approvals',
              search: value === null ? others : { ...others, [name]: value },
            });
          }}
        />
      ))}
    </Group>
  );
}

/** The keys of all requests that were listed since the page was opened. */
function useKnownKeys(
  items: readonly ApprovalRequest[],
  chosen: string | undefined,
): readonly { readonly value: string; readonly label: string }[] {
  const [known, setKnown] = useState<Readonly<Record<string, string>>>({});
  const unknown = items.filter(({ requestedBy }) => known[requestedBy.keyId] === undefined);
  if (unknown.length > 0)
    setKnown({
      ...known,
      ...Object.fromEntries(unknown.map(({ requestedBy: { keyId, name } }) => [keyId, name])),
    });
  const all = chosen === undefined ? known : { [chosen]: chosen, ...known };
  return Object.entries(all).map(([value, label]) => ({ value, label }));
}
