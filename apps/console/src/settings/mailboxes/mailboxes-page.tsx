import type { Mailbox, MailboxAnswer } from '@postroom/contracts';
import { Badge, Button, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useShortcuts } from '../../shell/shortcuts.js';
import { Icon } from '../../ui/icons.js';
import { Page, Section } from '../../ui/page.js';
import { Row, Rows } from '../../ui/row.js';
import { EmptyState, QueryState } from '../../ui/states.js';
import { mailboxesQuery } from '../queries.js';
import { ConsentOutcome } from './consent-outcome.js';
import { NewMailbox } from './new-mailbox.js';

export function MailboxesPage(): ReactElement {
  const [isAdding, { open, close }] = useDisclosure(false);
  const client = useQueryClient();
  const navigate = useNavigate();
  useShortcuts([{ keys: 'n', label: 'Add a mailbox', run: open }]);
  const added = async ({ mailbox }: MailboxAnswer): Promise<void> => {
    close();
    await client.invalidateQueries({ queryKey: mailboxesQuery.queryKey });
    void client.invalidateQueries({ queryKey: ['account'] });
    await navigate({
      to: '/settings/mailboxes/$mailboxId',
      params: { mailboxId: mailbox.id },
      // Servers without a secret are still to be signed in to.
      search: mailbox.imap && !mailbox.account ? { connect: true } : {},
    });
  };
  return (
    <Page
      title="Mailboxes"
      intro="Addresses that the workspace shares. Their mail arrives by the deployment’s servers, or is read from a server of yours."
      width={860}
      actions={
        <Button leftSection={<Icon name="plus" size={16} />} onClick={open}>
          Add a mailbox
        </Button>
      }
    >
      <ConsentOutcome />
      <QueryState query={useQuery(mailboxesQuery)}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon="mailbox" title="No mailboxes yet">
              Add the first address that your team answers.
            </EmptyState>
          ) : (
            <Section title="All mailboxes">
              <Rows label="Mailboxes">
                {items.map((mailbox) => (
                  <MailboxRow key={mailbox.id} mailbox={mailbox} />
                ))}
              </Rows>
            </Section>
          )
        }
      </QueryState>
      <Modal opened={isAdding} onClose={close} title="Add a mailbox">
        {isAdding && <NewMailbox onAdded={(answer) => void added(answer)} />}
      </Modal>
    </Page>
  );
}

const MailboxRow = ({ mailbox }: { mailbox: Mailbox }): ReactElement => {
  const { id, address, name, access, imap, outgoing } = mailbox;
  const seen = access === 'workspace' ? 'Everyone' : `${access.length} members`;
  return (
    <Row
      start={<Icon name="mailbox" />}
      title={address}
      about={
        <>
          {name !== address && (
            <>
              <bdi>{name}</bdi> ·{' '}
            </>
          )}
          {access !== 'workspace' && access.length === 1 ? '1 member' : seen}
        </>
      }
    >
      {imap && <Badge variant="light">IMAP</Badge>}
      {outgoing && <Badge variant="light">Own outgoing server</Badge>}
      <Button
        {...{ component: Link, size: 'xs', variant: 'default' }}
        {...{ to: `/settings/mailboxes/${id}`, hash: 'import' }}
        aria-label={`Import mail into ${address}`}
      >
        Import mail
      </Button>
      <Button
        {...{ component: Link, size: 'xs', variant: 'default' }}
        to={`/settings/mailboxes/${id}`}
        aria-label={`Settings of ${address}`}
      >
        Settings
      </Button>
    </Row>
  );
};
