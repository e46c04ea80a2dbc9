import type {
  ConsentPage,
  FoundMailSettings,
  Mailbox,
  MailboxAnswer,
  MailServer,
  MailServerAccess,
} from '@postroom/contracts';
import { Alert, Anchor, Button, Group, PasswordInput, Stack, Switch, Text } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api, newIdempotencyKey } from '../../api/api.js';
import { useUnsavedText } from '../../shell/unsaved.js';
import { Icon } from '../../ui/icons.js';
import { tellFailure } from '../../ui/notices.js';
import { QueryState } from '../../ui/states.js';
import { FormFault, useSubmit } from '../../ui/submit.js';
import { mailSettingsQuery } from '../queries.js';
import { TestLines, useAccountTest } from './account-test.js';
import { ServerFields, serverGiven, valuesOf, type ServerValues } from './server-fields.js';

type Answered = (answer: MailboxAnswer) => void;

/** Connects a mailbox to an account: the servers are found, tried, and then kept. */
export const ConnectAccount = (props: { mailbox: Mailbox; onDone: Answered }): ReactElement => (
  <QueryState query={useQuery(mailSettingsQuery(props.mailbox.address))}>
    {(found) => <Connect {...props} found={found} />}
  </QueryState>
);

interface ConnectValues {
  imap: ServerValues;
  outgoing: ServerValues;
  password: string;
  isByHand: boolean;
  isSending: boolean;
}

function Connect(props: {
  mailbox: Mailbox;
  found: FoundMailSettings;
  onDone: Answered;
}): ReactElement {
  const { mailbox, found } = props;
  const [idempotencyKey] = useState(newIdempotencyKey);
  const [hasFailed, setHasFailed] = useState(false);
  const { lines, run } = useAccountTest(mailbox.id);
  const form = useForm<ConnectValues>({
    initialValues: {
      imap: serverOf(mailbox, mailbox.imap ?? found.imap, 993),
      outgoing: serverOf(mailbox, mailbox.outgoing ?? found.outgoing, 465),
      password: '',
      isByHand: !(mailbox.imap ?? found.imap),
      isSending: (mailbox.outgoing ?? found.outgoing) !== null,
    },
  });
  useUnsavedText(form.isDirty());
  const keep = async (given: Servers): Promise<void> => {
    const options = { idempotencyKey, ifMatch: mailbox.version };
    props.onDone(await api.put<MailboxAnswer>(`/mailboxes/${mailbox.id}/account`, given, options));
  };
  const { onSubmit, fault } = useSubmit(form, async (values) => {
    setHasFailed(false);
    const given = serversOf(values);
    const { imap, outgoing } = given;
    if (await run({ imap, ...(outgoing && { outgoing }) })) await keep(given);
    else setHasFailed(true);
  });
  const { isByHand } = form.values;
  return (
    <form onSubmit={onSubmit}>
      <Stack>
        <Found found={found} kept={mailbox.imap} />
        <SignIn mailbox={mailbox} found={found} />
        <Switch
          label="Set the servers by hand"
          {...form.getInputProps('isByHand', { type: 'checkbox' })}
        />
        {isByHand ? (
          <ByHand form={form} isNew={mailbox.account === null} />
        ) : (
          <PasswordInput
            label={
              found.signIn === 'app_password' ? 'Password made for this application' : 'Password'
            }
            {...{ required: true, maxLength: 1000, autoComplete: 'new-password' }}
            {...form.getInputProps('password')}
            error={form.errors['password'] ?? form.errors['imap.password']}
          />
        )}
        <TestLines lines={lines} />
        <FormFault fault={fault} />
        <Group>
          <Button type="submit" loading={form.submitting}>
            {hasFailed ? 'Test again' : 'Test and connect'}
          </Button>
          {hasFailed && (
            <Button
              variant="default"
              onClick={() => void keep(serversOf(form.values)).catch(tellFailure)}
            >
              Connect anyway
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

function ByHand(props: { form: UseFormReturnType<ConnectValues>; isNew: boolean }): ReactElement {
  const { form, isNew } = props;
  const fields = (kind: 'imap' | 'outgoing', title: string): ReactElement => (
    <ServerFields
      {...{ title, value: form.values[kind], isNew }}
      onChange={(value) => form.setFieldValue(kind, value)}
      errorOf={(field) => form.errors[`${kind}.${field}`]}
    />
  );
  return (
    <>
      {fields('imap', 'Arriving mail (IMAP)')}
      <Switch
        label="Answers leave through it too"
        description="Otherwise they leave by this deployment’s own server."
        {...form.getInputProps('isSending', { type: 'checkbox' })}
      />
      {form.values.isSending && fields('outgoing', 'Outgoing mail (SMTP)')}
    </>
  );
}

interface Servers {
  readonly imap: MailServerAccess;
  /** Null: the deployment's servers send. */
  readonly outgoing: MailServerAccess | null;
}

const serverOf = ({ address }: Mailbox, server: MailServer | null, port: number): ServerValues => ({
  ...valuesOf(server, port),
  user: server?.user ?? address,
});

function serversOf({ imap, outgoing, password, isByHand, isSending }: ConnectValues): Servers {
  const shared = isByHand ? {} : { password };
  return {
    imap: serverGiven({ ...imap, ...shared }),
    outgoing: isSending ? serverGiven({ ...outgoing, ...shared }) : null,
  };
}

const sources = {
  provider: 'known to Postroom',
  srv: 'from SRV records of the domain',
  autoconfig: 'from the settings that the domain publishes',
  mx: 'by where the domain’s mail goes (MX)',
} as const;

/** The servers, and where they were found. */
export function Found({
  found,
  kept,
}: {
  found: FoundMailSettings;
  kept: MailServer | null;
}): ReactElement {
  const { source, provider, imap, outgoing, help } = found;
  if (!source || !imap) {
    return (
      <Text size="sm" c="dimmed">
        {kept
          ? `Its servers stand below.`
          : 'No settings were found for this address. Whoever runs its mail knows the names of the servers.'}
      </Text>
    );
  }
  return (
    <Alert variant="light" icon={<Icon name="mailbox" />} title={provider ?? 'Settings were found'}>
      <Text size="sm">
        {nameOf(imap)}
        {outgoing && `, ${nameOf(outgoing)}`} · {sources[source]}
        {help !== null && (
          <>
            {' · '}
            <Anchor size="sm" href={help} target="_blank" rel="noreferrer">
              What the provider says
            </Anchor>
          </>
        )}
      </Text>
    </Alert>
  );
}

const nameOf = ({ host, port, secure }: MailServer): string =>
  `${host}:${port} (${secure ? 'TLS' : 'STARTTLS'})`;

const providerNames = { google: 'Google', microsoft: 'Microsoft', other: 'your provider' } as const;

/** Consent at the provider, where this deployment is a client of it. */
export function SignIn(props: {
  mailbox: Mailbox;
  found: Pick<FoundMailSettings, 'oauth' | 'signIn' | 'provider'>;
}): ReactElement | null {
  const { mailbox, found } = props;
  const [isBusy, setIsBusy] = useState(false);
  const { oauth } = found;
  if (!oauth) {
    if (found.signIn !== 'oauth') return null;
    return (
      <Alert color="yellow" variant="light" icon={<Icon name="info" />}>
        <Text size="sm">
          {found.provider} wants you to sign in there, which the operator of this deployment has not
          set up. A password that was made for an application may do.
        </Text>
      </Alert>
    );
  }
  const ask = (): void => {
    setIsBusy(true);
    api.post<ConsentPage>(`/mailboxes/${mailbox.id}/oauth/${oauth}`, {}).then(
      ({ url }) => location.assign(url),
      (error: unknown) => {
        setIsBusy(false);
        tellFailure(error, ask);
      },
    );
  };
  return (
    <Group>
      <Button leftSection={<Icon name="external" size={16} />} loading={isBusy} onClick={ask}>
        Sign in with {providerNames[oauth]}
      </Button>
    </Group>
  );
}
