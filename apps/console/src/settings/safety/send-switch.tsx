import type { SendSwitch as Switch } from '@postroom/contracts';
import { Badge, Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { accountQuery } from '../../api/account.js';
import { api } from '../../api/api.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { tellDone, tellFailure } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { QueryState } from '../../ui/states.js';
import { sendSwitchQuery } from '../queries.js';

/** Opens or closes sending for the whole workspace. */
export function SendSwitch(): ReactElement {
  const query = useQuery(sendSwitchQuery);
  const client = useQueryClient();
  const set = async (open: boolean): Promise<void> => {
    client.setQueryData(sendSwitchQuery.queryKey, await api.put<Switch>('/send-switch', { open }));
    await client.invalidateQueries({ queryKey: accountQuery.queryKey });
    tellDone(open ? 'Messages leave again.' : 'No message leaves.');
  };
  const isOpen = query.data?.open;
  return (
    <Section
      title="Sending"
      about="Closed, no message leaves the workspace: neither of people nor of keys."
      actions={
        isOpen !== undefined && (
          <Badge size="lg" variant="light" color={isOpen ? 'teal' : 'red'}>
            {isOpen ? 'Open' : 'Closed'}
          </Badge>
        )
      }
    >
      <QueryState query={query}>
        {({ open }) =>
          open ? (
            <div>
              <ConfirmButton
                {...{ label: 'Close sending for everyone', confirm: 'Close sending' }}
                {...{ button: { color: 'red', variant: 'light', size: 'sm' } }}
                question="Every send is refused until an administrator opens it again. Scheduled messages wait."
                onConfirm={() => set(false)}
              />
            </div>
          ) : (
            <div>
              <Button onClick={() => void set(true).catch(tellFailure)}>Open sending</Button>
            </div>
          )
        }
      </QueryState>
    </Section>
  );
}
