import type { ReceivedMail } from '@postroom/contracts';
import { Alert, Anchor, Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Link } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { useAccount } from '../../api/account.js';
import { api } from '../../api/api.js';
import { conversationPath } from '../../shell/places.js';
import { Icon } from '../../ui/icons.js';
import { Section } from '../../ui/page.js';
import { StackForm, useSubmit } from '../../ui/submit.js';

interface Arrived {
  readonly threadId: string;
  readonly mailbox: string;
  readonly subject: string;
}

/** A mail that a mailbox receives as if it had arrived. */
export const Receive = (): ReactElement => (
  <Section
    title="Receive a mail"
    about="It is threaded and stored like one that arrived, and webhooks are told. Each time is another mail."
  >
    {useAccount().mailboxes.length > 0 ? (
      <ReceiveForm />
    ) : (
      <Text size="sm">
        <Anchor component={Link} to="/settings/mailboxes" inherit underline="always">
          Add a mailbox
        </Anchor>{' '}
        of its domain first.
      </Text>
    )}
  </Section>
);

function ReceiveForm(): ReactElement {
  const { mailboxes } = useAccount();
  const [arrived, setArrived] = useState<Arrived | null>(null);
  const form = useForm({
    initialValues: {
      ...{ mailbox: mailboxes[0]?.address ?? '', from: 'camille@customer.example' },
      ...{ subject: '', body: '' },
    },
  });
  const submission = useSubmit(form, async (mail) => {
    setArrived(null);
    const { threadId } = await api.post<ReceivedMail>('/sandbox/receive', mail);
    setArrived({ threadId, mailbox: mail.mailbox, subject: mail.subject });
  });
  return (
    <Stack gap="sm">
      <StackForm {...{ form, submission, label: 'Receive it' }} gap="sm" onPage>
        <Group grow preventGrowOverflow={false} align="flex-start">
          <Select
            {...{ label: 'Mailbox', required: true, allowDeselect: false, miw: 220 }}
            data={mailboxes.map(({ address }) => address)}
            {...form.getInputProps('mailbox')}
          />
          <TextInput
            {...{ label: 'From', type: 'email', required: true, miw: 220 }}
            {...form.getInputProps('from')}
          />
        </Group>
        <TextInput label="Subject" {...form.getInputProps('subject')} />
        <Textarea
          {...{ label: 'Text', description: 'Plain, or HTML' }}
          {...{ autosize: true, minRows: 3, maxRows: 12 }}
          {...form.getInputProps('body')}
        />
      </StackForm>
      {arrived && (
        <Alert color="teal" role="status" icon={<Icon name="check" />}>
          <bdi>{arrived.subject || 'The mail'}</bdi> has arrived.{' '}
          <Anchor
            {...{ component: Link, size: 'sm', underline: 'always' }}
            to={conversationPath(arrived.threadId, arrived.mailbox)}
          >
            Open it
          </Anchor>
        </Alert>
      )}
    </Stack>
  );
}
