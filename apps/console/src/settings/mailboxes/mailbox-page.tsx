import type { Mailbox } from '@postroom/contracts';
import { Anchor, Group, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useRouterState, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { api } from '../../api/api.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { tellDone } from '../../ui/notices.js';
import { Page, Section } from '../../ui/page.js';
import { EmptyState, QueryState } from '../../ui/states.js';
import { mailboxesQuery } from '../queries.js';
import { Account } from './account.js';
import { Dkim } from './dkim.js';
import { General } from './general.js';
import { Imports } from './imports.js';
import { Labels } from './labels.js';
import { Servers } from './servers.js';

export function MailboxPage(): ReactElement {
  const mailboxId = useRouterState({
    select: ({ location }) => location.pathname.split('/').at(-1),
  });
  const { connect = false } = useSearch({ from: '/shell/settings/mailboxes/$mailboxId' });
  return (
    <QueryState query={useQuery(mailboxesQuery)}>
      {({ items }) => {
        const mailbox = items.find(({ id }) => id === mailboxId);
        return mailbox ? <Settings mailbox={mailbox} isConnecting={connect} /> : <Gone />;
      }}
    </QueryState>
  );
}

/** The forms begin anew with each version of the mailbox. */
const Settings = (props: { mailbox: Mailbox; isConnecting: boolean }): ReactElement => {
  const { mailbox, isConnecting } = props;
  return (
    <Page
      title={mailbox.address}
      width={860}
      intro={
        <Anchor component={Link} to="/settings/mailboxes" size="sm">
          All mailboxes
        </Anchor>
      }
    >
      <General key={`general ${mailbox.version}`} mailbox={mailbox} />
      <Account mailbox={mailbox} isConnecting={isConnecting} />
      <Imports mailbox={mailbox} />
      <Labels mailbox={mailbox} />
      <Servers key={`servers ${mailbox.version}`} mailbox={mailbox} />
      <Dkim key={`dkim ${mailbox.version}`} mailbox={mailbox} />
      <Remove mailbox={mailbox} />
    </Page>
  );
};

const Gone = (): ReactElement => (
  <EmptyState
    icon="mailbox"
    title="There is no such mailbox"
    action={
      <Anchor component={Link} to="/settings/mailboxes">
        All mailboxes
      </Anchor>
    }
  >
    Somebody may have removed it.
  </EmptyState>
);

function Remove({ mailbox: { id, address, version } }: { mailbox: Mailbox }): ReactElement {
  const client = useQueryClient();
  const navigate = useNavigate();
  return (
    <Section
      title="Remove the mailbox"
      about="It stops at once. Its mail is deleted after 30 days, in which the operator can bring it back."
    >
      <Group>
        <ConfirmButton
          {...{ label: 'Remove the mailbox', confirm: 'Remove it' }}
          {...{ button: { color: 'red', variant: 'light', size: 'sm' } }}
          question={<Text size="sm">Nothing arrives at {address} any more. Go on?</Text>}
          onConfirm={async () => {
            await api.delete(`/mailboxes/${id}`, { ifMatch: version });
            await navigate({ to: '/settings/mailboxes' });
            await client.invalidateQueries({ queryKey: mailboxesQuery.queryKey });
            void client.invalidateQueries({ queryKey: ['account'] });
            tellDone(`${address} is removed.`);
          }}
        />
      </Group>
    </Section>
  );
}
