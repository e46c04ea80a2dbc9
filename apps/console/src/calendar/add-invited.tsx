import type { ImportOutcome } from '@postroom/contracts';
import { Button, Menu } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { api, urlOf } from '../api/api.js';
import { ConnectionLost } from '../api/problem.js';
import { Icon } from '../ui/icons.js';
import { tellDone, tellFailure } from '../ui/notices.js';

/** Puts the event of an invitation that no calendar has into one of them. */
export function AddInvited(props: { attachmentId: string; mailbox: string }): ReactElement {
  const { calendars } = useAccount();
  const client = useQueryClient();
  const [isBusy, setIsBusy] = useState(false);
  const add = async (calendarId: string, name: string): Promise<void> => {
    setIsBusy(true);
    try {
      const file = await fileOf(props.attachmentId, props.mailbox);
      const outcome = await api.post<ImportOutcome>(`/calendars/${calendarId}/import`, file);
      await client.invalidateQueries({ queryKey: ['events'] });
      if (outcome.created + outcome.updated > 0) tellDone(`The event is in “${name}”.`);
      else tellFailure(new Error(outcome.unreadable[0]?.reason ?? 'The file has no event.'));
    } catch (error) {
      tellFailure(error);
    }
    setIsBusy(false);
  };
  return (
    <Menu>
      <Menu.Target>
        <Button
          {...{ size: 'xs', variant: 'default', loading: isBusy }}
          leftSection={<Icon name="plus" size={14} />}
        >
          Add to a calendar
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {calendars.map(({ id, name }) => (
          <Menu.Item key={id} onClick={() => void add(id, name)}>
            <bdi>{name}</bdi>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

async function fileOf(id: string, mailbox: string): Promise<Blob> {
  const response = await fetch(urlOf(`/v1/attachments/${id}`, { mailbox }));
  if (!response.ok) throw new ConnectionLost();
  return new Blob([await response.arrayBuffer()], { type: 'text/calendar' });
}
