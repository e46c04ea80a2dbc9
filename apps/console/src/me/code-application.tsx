import { Alert, Badge, Button, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { Enrolled, NewTotp } from '@postroom/contracts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { encodeQR } from 'qr';
import { useState, type ReactElement } from 'react';
import { api } from '../api/api.js';
import { messageOf } from '../api/problem.js';
import { ConfirmButton } from '../ui/confirm-button.js';
import { CopyButton } from '../ui/copy-button.js';
import { tellDone, tellFailure } from '../ui/notices.js';
import { Section } from '../ui/page.js';
import { secondFactorQuery } from './queries.js';
import { ShownOnce } from './shown-once.js';

/** The application of one-time codes (RFC 6238): set up with a QR code, confirmed by its first code. */
export function CodeApplication(): ReactElement {
  const { data } = useQuery(secondFactorQuery);
  const client = useQueryClient();
  const [secret, setSecret] = useState<NewTotp | null>(null);
  const [codes, setCodes] = useState<readonly string[]>([]);
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: ['me'] });
  const begin = (): void => {
    api.post<NewTotp>('/me/totp').then(setSecret, tellFailure);
  };
  return (
    <Section
      title="Code application"
      about="An application on your telephone shows a code of six digits that you give after your password."
      actions={
        data && (
          <Badge variant="light" color={data.totp ? 'teal' : 'gray'}>
            {data.totp ? 'Set up' : 'Not set up'}
          </Badge>
        )
      }
    >
      <ShownOnce codes={codes} onClose={() => setCodes([])} />
      {secret && (
        <Setup
          secret={secret}
          onCancel={() => setSecret(null)}
          onDone={(shown) => {
            setSecret(null);
            setCodes(shown);
            void refresh();
            tellDone('Your code application is set up.');
          }}
        />
      )}
      {data && !secret && (
        <Group>
          {data.totp ? (
            <ConfirmButton
              {...{ label: 'Remove', name: 'Remove the code application' }}
              question="You will no longer be asked for a code of it when you sign in."
              confirm="Remove it"
              onConfirm={async () => {
                await api.delete('/me/totp');
                await refresh();
              }}
            />
          ) : (
            <Button variant="default" onClick={begin}>
              Set up a code application
            </Button>
          )}
        </Group>
      )}
    </Section>
  );
}

function Setup(props: {
  secret: NewTotp;
  onCancel: () => void;
  onDone: (recoveryCodes: readonly string[]) => void;
}): ReactElement {
  const { secret, url } = props.secret;
  const form = useForm({ initialValues: { code: '' } });
  const submit = form.onSubmit(async ({ code }) => {
    try {
      const given = { code: code.replaceAll(/\s/g, '') };
      const { recoveryCodes = [] } = await api.post<Enrolled>('/me/totp/confirm', given);
      props.onDone(recoveryCodes);
    } catch (error) {
      form.setErrors({ code: messageOf(error) });
    }
  });
  return (
    <Group align="flex-start" gap="lg">
      <QrCode text={url} label="QR code of the secret" />
      <Stack gap="sm" flex={1} miw={240} maw={420}>
        <Text size="sm">Scan this with your application, or type the secret:</Text>
        <Group gap="xs">
          <Code>{secret.match(/.{1,4}/g)?.join(' ')}</Code>
          <CopyButton value={secret} />
        </Group>
        <form onSubmit={submit}>
          <Stack gap="sm">
            <TextInput
              {...{ label: 'Code', inputMode: 'numeric', autoComplete: 'one-time-code' }}
              {...{ required: true, maxLength: 10, autoFocus: true }}
              description="The six digits that it shows now."
              {...form.getInputProps('code')}
            />
            <Group>
              <Button type="submit" loading={form.submitting}>
                Confirm
              </Button>
              <Button variant="default" onClick={props.onCancel}>
                Cancel
              </Button>
            </Group>
          </Stack>
        </form>
        <Alert color="gray">Nothing changes before the first code is confirmed.</Alert>
      </Stack>
    </Group>
  );
}

/** A text as a QR code, dark on light in both schemes: cameras read no other. */
function QrCode({ text, label }: { text: string; label: string }): ReactElement {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: 3 });
  const path = rows
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return (
    <svg
      {...{ role: 'img', 'aria-label': label, width: 200, height: 200 }}
      {...{ viewBox: `0 0 ${rows.length} ${rows.length}`, shapeRendering: 'crispEdges' }}
    >
      <rect width="100%" height="100%" rx={1} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
