import type { Mailbox, MailboxAnswer } from '@postroom/contracts';
import { Button, Group, Modal, Stack, Switch, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api } from '../../api/api.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { tellDone, tellFailure } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { mailboxesQuery, syncQuery } from '../queries.js';
import { TestLines, useAccountTest } from './account-test.js';
import { ConnectAccount, SignIn } from './connect-account.js';
import { SyncState } from './sync-state.js';

/** The account elsewhere that a mailbox is read from and sent through. */
export function Account(props: { mailbox: Mailbox; isConnecting: boolean }): ReactElement {
  const { mailbox } = props;
  const [isOpen, { open, close }] = useDisclosure(props.isConnecting && !mailbox.account);
  const refresh = useRefresh(mailbox);
  const done = async ({ mailbox: { address } }: MailboxAnswer): Promise<void> => {
    close();
    await refresh();
    tellDone(`${address} is connected.`);
  };
  return (
    <Section
      title="Account elsewhere"
      about="Mail of an existing mailbox at Google, Microsoft or any host is read here as it arrives, and answers leave through it."
      actions={
        !mailbox.account && (
          <Button size="xs" onClick={open}>
            Connect an account
          </Button>
        )
      }
    >
      {mailbox.account && <Connected {...{ mailbox, account: mailbox.account, onChange: open }} />}
      <Modal opened={isOpen} onClose={close} title={`Connect ${mailbox.address}`} size="lg">
        {isOpen && <ConnectAccount mailbox={mailbox} onDone={(answer) => void done(answer)} />}
      </Modal>
    </Section>
  );
}

/** The switch for changes both ways. */
function TwoWay({ mailbox, isOn }: { mailbox: Mailbox; isOn: boolean }): ReactElement {
  const refresh = useRefresh(mailbox);
  const set = async (twoWay: boolean): Promise<void> => {
    const options = { ifMatch: mailbox.version };
    await api.put<MailboxAnswer>(`/mailboxes/${mailbox.id}/account`, { twoWay }, options);
    await refresh();
  };
  return (
    <Switch
      {...{ label: 'What is done here is done in the account too', checked: isOn }}
      description="Archive, spam, trash, read, answered, and labels that its server can keep."
      onChange={({ currentTarget }) => void set(currentTarget.checked).catch(tellFailure)}
    />
  );
}

function useRefresh({ id }: Mailbox): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await client.invalidateQueries({ queryKey: mailboxesQuery.queryKey });
    await client.invalidateQueries({ queryKey: syncQuery(id).queryKey });
  };
}

function Connected(props: {
  mailbox: Mailbox;
  account: NonNullable<Mailbox['account']>;
  onChange: () => void;
}): ReactElement {
  const { mailbox, account } = props;
  const refresh = useRefresh(mailbox);
  const { id, imap, outgoing } = mailbox;
  const [isTesting, setIsTesting] = useState(false);
  const { lines, run } = useAccountTest(id);
  const test = async (): Promise<void> => {
    setIsTesting(true);
    await run({ ...(imap && { imap }), ...(outgoing && { outgoing }) }).catch(tellFailure);
    setIsTesting(false);
  };
  const disconnect = async (): Promise<void> => {
    await api.delete(`/mailboxes/${id}/account`, { ifMatch: mailbox.version });
    await refresh();
    tellDone('The account is disconnected.');
  };
  const oauth = account.provider as 'google' | 'microsoft' | 'other' | null;
  return (
    <Stack gap="sm">
      <Text size="sm">
        <bdi>{imap?.user}</bdi> at {imap?.host}
        {outgoing && `, sending through ${outgoing.host}`} ·{' '}
        {account.kind === 'oauth' ? 'signed in at the provider' : 'with a password'}
      </Text>
      <SyncState mailboxId={id} />
      {oauth && account.consentEnded && (
        <SignIn mailbox={mailbox} found={{ oauth, signIn: 'oauth', provider: oauth }} />
      )}
      <TwoWay mailbox={mailbox} isOn={account.twoWay} />
      <TestLines lines={lines} />
      <Group gap="xs">
        <Button size="xs" variant="default" loading={isTesting} onClick={() => void test()}>
          Test it
        </Button>
        <Button size="xs" variant="default" onClick={props.onChange}>
          Change
        </Button>
        <ConfirmButton
          {...{ label: 'Disconnect', confirm: 'Disconnect it' }}
          question="Its passwords are forgotten and no more mail is read. What was read stays. Go on?"
          onConfirm={disconnect}
        />
      </Group>
    </Stack>
  );
}
