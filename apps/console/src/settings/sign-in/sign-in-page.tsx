import type { SignInSettingsView } from '@postroom/contracts';
import {
  Alert,
  Group,
  PasswordInput,
  Stack,
  Switch,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api } from '../../api/api.js';
import { useUnsavedText } from '../../shell/unsaved.js';
import { CopyButton } from '../../ui/copy-button.js';
import { tellDone } from '../../ui/notices.js';
import { Page, Section } from '../../ui/page.js';
import { StackForm, useSubmit } from '../../ui/submit.js';
import { QueryState } from '../../ui/states.js';
import { signInQuery } from '../queries.js';

export const SignInPage = (): ReactElement => (
  <Page
    title="Sign-in"
    intro="How the members of this workspace sign in. A change asks you to confirm that it is you."
    width={760}
  >
    <QueryState query={useQuery(signInQuery)}>
      {(settings) => <SignInForm key={JSON.stringify(settings)} settings={settings} />}
    </QueryState>
  </Page>
);

interface Values {
  issuer: string;
  clientId: string;
  clientSecret: string;
  domains: string[];
  passwords: boolean;
  requireSecondFactor: boolean;
}

function SignInForm({ settings }: { settings: SignInSettingsView }): ReactElement {
  const client = useQueryClient();
  const form = useForm<Values>({
    initialValues: {
      issuer: settings.issuer ?? '',
      clientId: settings.clientId ?? '',
      clientSecret: '',
      domains: settings.domains ?? [],
      passwords: settings.passwords,
      requireSecondFactor: settings.requireSecondFactor,
    },
  });
  useUnsavedText(form.isDirty());
  const submission = useSubmit(form, async (values) => {
    const { issuer, clientId, clientSecret, ...rest } = values;
    const saved = await api.put<SignInSettingsView>('/sign-in', {
      ...rest,
      issuer: issuer === '' ? null : issuer,
      clientId: clientId === '' ? null : clientId,
      ...(clientSecret !== '' && { clientSecret }),
    });
    client.setQueryData(signInQuery.queryKey, saved);
    tellDone('The sign-in is changed.');
  });
  return (
    <StackForm {...{ form, submission }} gap="lg" onPage>
      <Section title="Passwords and second factors">
        <Switch
          {...{ label: 'Members may sign in with a password' }}
          description="Administrators keep theirs, so that nobody is locked out."
          {...form.getInputProps('passwords', { type: 'checkbox' })}
        />
        <Switch
          {...{ label: 'Everybody needs a second factor' }}
          description="A code application or a passkey. Who has none is asked to set one up at the next sign-in."
          {...form.getInputProps('requireSecondFactor', { type: 'checkbox' })}
        />
      </Section>
      <Provider {...{ form, redirectUri: settings.redirectUri }} />
    </StackForm>
  );
}

const Provider = (props: {
  form: UseFormReturnType<Values>;
  redirectUri: string;
}): ReactElement => (
  <Section
    title="OpenID Connect"
    about="Members sign in with your provider, such as Entra ID, Google Workspace or Keycloak. They are matched by their verified address."
  >
    <Stack gap={4}>
      <Text size="sm" fw={500}>
        Redirect URI to register at the provider
      </Text>
      <Group gap="xs" wrap="nowrap">
        <Text size="sm" ff="monospace" className="anywhere">
          {props.redirectUri}
        </Text>
        <CopyButton value={props.redirectUri} />
      </Group>
    </Stack>
    <TextInput
      {...{ label: 'Issuer', placeholder: 'https://login.example.org', maxLength: 500 }}
      description="The address of the provider, as it names itself. Empty for none."
      {...props.form.getInputProps('issuer')}
    />
    <TextInput
      {...{ label: 'Client id', maxLength: 200, autoComplete: 'off' }}
      {...props.form.getInputProps('clientId')}
    />
    <PasswordInput
      {...{ label: 'Client secret', maxLength: 500, autoComplete: 'off' }}
      description="Never shown again. Empty: the present one stays."
      {...props.form.getInputProps('clientSecret')}
    />
    <TagsInput
      {...{ label: 'Domains that it may vouch for', placeholder: 'example.org' }}
      description="Addresses of other domains are refused. Empty for all."
      {...props.form.getInputProps('domains')}
    />
    {!props.form.values.passwords && props.form.values.issuer === '' && (
      <Alert color="yellow">Without passwords, members need a provider.</Alert>
    )}
  </Section>
);
