import type { NewPasskey, Passkey } from '@postroom/contracts';
import { Button, Group, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { browserSupportsWebAuthn, startRegistration } from '@simplewebauthn/browser';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api } from '../api/api.js';
import { passkeyRefusal } from '../api/problem.js';
import { ConfirmButton } from '../ui/confirm-button.js';
import { Icon } from '../ui/icons.js';
import { tellDone } from '../ui/notices.js';
import { Row, Rows } from '../ui/row.js';
import { Section } from '../ui/page.js';
import { ErrorState } from '../ui/states.js';
import { Time } from '../ui/time.js';
import { passkeysQuery } from './queries.js';
import { ShownOnce } from './shown-once.js';

/** Passkeys: named, used without a password, and removed. */
export function Passkeys(): ReactElement {
  const { data, error, refetch } = useQuery(passkeysQuery);
  const client = useQueryClient();
  const [codes, setCodes] = useState<readonly string[]>([]);
  return (
    <Section
      title="Passkeys"
      about="Sign in with your fingerprint, face or security key instead of a password. Nothing can be phished."
    >
      <ShownOnce codes={codes} onClose={() => setCodes([])} />
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data && data.items.length > 0 && (
        <Rows label="Passkeys">
          {data.items.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} />
          ))}
        </Rows>
      )}
      {browserSupportsWebAuthn() ? (
        <AddPasskey
          onAdded={(shown) => {
            setCodes(shown);
            void client.invalidateQueries({ queryKey: ['me'] });
          }}
        />
      ) : (
        <Text size="sm">This browser knows no passkeys.</Text>
      )}
    </Section>
  );
}

function PasskeyRow({ passkey }: { passkey: Passkey }): ReactElement {
  const client = useQueryClient();
  return (
    <Row
      start={<Icon name="key" />}
      title={<bdi>{passkey.name}</bdi>}
      about={
        <>
          Added <Time at={passkey.createdAt} />,{' '}
          {passkey.usedAt === null ? (
            'not used yet'
          ) : (
            <>
              last used <Time at={passkey.usedAt} form="relative" />
            </>
          )}
        </>
      }
    >
      <ConfirmButton
        {...{ label: 'Remove', name: `Remove ${passkey.name}`, confirm: 'Remove it' }}
        question="It no longer signs you in. Delete it on your device too."
        onConfirm={async () => {
          await api.delete(`/me/passkeys/${passkey.id}`);
          await client.invalidateQueries({ queryKey: ['me'] });
        }}
      />
    </Row>
  );
}

interface Creation {
  readonly options: Parameters<typeof startRegistration>[0]['optionsJSON'];
}

function AddPasskey(props: { onAdded: (recoveryCodes: readonly string[]) => void }): ReactElement {
  const form = useForm({ initialValues: { name: '' } });
  const submit = form.onSubmit(async ({ name }) => {
    try {
      const { options } = await api.post<Creation>('/me/passkeys/options');
      const credential = await startRegistration({ optionsJSON: options });
      const given = { name, credential };
      const { recoveryCodes = [] } = await api.post<NewPasskey>('/me/passkeys', given);
      form.reset();
      tellDone('Your passkey is ready.');
      props.onAdded(recoveryCodes);
    } catch (error) {
      form.setErrors({ name: passkeyRefusal(error) });
    }
  });
  return (
    <form onSubmit={submit}>
      <Group align="flex-start" gap="xs">
        <TextInput
          {...{ 'aria-label': 'Name of the passkey', placeholder: 'Name, as “work laptop”' }}
          {...{ required: true, maxLength: 80, flex: 1, maw: 300 }}
          {...form.getInputProps('name')}
        />
        <Button type="submit" variant="default" loading={form.submitting}>
          Add a passkey
        </Button>
      </Group>
    </form>
  );
}
