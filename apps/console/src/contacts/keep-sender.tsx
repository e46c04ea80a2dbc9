import type { ContactCreated } from '@postroom/contracts';
import { Button, Menu } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { api, newIdempotencyKey } from '../api/api.js';
import { Icon } from '../ui/icons.js';
import { tellDone, tellFailure } from '../ui/notices.js';

/** Makes a contact of the sender of a received message, in a book that the member may write in. */
export function KeepSender({ messageId }: { messageId: string }): ReactElement | null {
  const { addressBooks } = useAccount();
  const client = useQueryClient();
  const [isBusy, setIsBusy] = useState(false);
  const [idempotencyKey] = useState(newIdempotencyKey);
  const books = addressBooks.filter(({ access }) => access === 'write');
  const keep = async (bookId: string): Promise<void> => {
    setIsBusy(true);
    try {
      const body = { messageId, bookId };
      const { contact, existed } = await api.post<ContactCreated>('/contacts/from-message', body, {
        idempotencyKey: `${idempotencyKey}-${bookId}`,
      });
      tellDone(
        existed
          ? `${contact.displayName} was a contact already.`
          : `${contact.displayName} is a contact now.`,
      );
      await client.invalidateQueries({ queryKey: ['conversation'] });
      await client.invalidateQueries({ queryKey: ['contacts'] });
    } catch (error) {
      tellFailure(error);
    }
    setIsBusy(false);
  };
  const [only] = books;
  if (!only) return null;
  const look = { size: 'xs', variant: 'default', loading: isBusy } as const;
  if (books.length === 1)
    return (
      <Button
        {...look}
        leftSection={<Icon name="plus" size={14} />}
        onClick={() => void keep(only.id)}
      >
        Add to contacts
      </Button>
    );
  return (
    <Menu>
      <Menu.Target>
        <Button {...look} rightSection={<Icon name="down" size={14} />}>
          Add to contacts
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {books.map(({ id, name }) => (
          <Menu.Item key={id} onClick={() => void keep(id)}>
            <bdi>{name}</bdi>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
