import type { GiveSecondFactor, ProofMethod } from '@postroom/contracts';
import { Alert, Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { browserSupportsWebAuthn, startAuthentication } from '@simplewebauthn/browser';
import { useState, type ReactElement } from 'react';
import { api } from '../api/api.js';
import { messageOf, passkeyRefusal } from '../api/problem.js';

/** The server's options for an authenticator. */
export interface RequestOfPasskey {
  readonly options: Parameters<typeof startAuthentication>[0]['optionsJSON'];
}

export type Proof = ProofMethod | 'password';

/** Fields of what can be typed, in the order in which they are offered. */
const typed = {
  totp: {
    field: 'code',
    label: 'Code',
    description: 'The six digits that your code application shows now.',
  },
  recovery_code: {
    field: 'recoveryCode',
    label: 'Recovery code',
    description: 'Each works once.',
  },
  password: { field: 'password', label: 'Password', description: null },
} as const;

interface ProofFormProps {
  readonly methods: readonly Proof[];
  readonly label: string;
  readonly onProof: (proof: GiveSecondFactor) => Promise<void>;
}

/** Takes one proof of who the member is: a passkey, a code, a recovery code or the password. */
export function ProofForm({ methods, label, onProof }: ProofFormProps): ReactElement {
  const fields = (['totp', 'password', 'recovery_code'] as const).filter((one) =>
    methods.includes(one),
  );
  const [chosen, setChosen] = useState<keyof typeof typed | null>(fields[0] ?? null);
  const [fault, setFault] = useState<string | null>(null);
  const canUsePasskey = methods.includes('passkey') && browserSupportsWebAuthn();
  const proveByPasskey = async (): Promise<void> => {
    try {
      const { options } = await api.post<RequestOfPasskey>('/session/passkey-options');
      const passkey = await startAuthentication({ optionsJSON: options });
      await onProof({ passkey: { ...passkey } });
    } catch (error) {
      setFault(passkeyRefusal(error));
    }
  };
  const other = fields.find((one) => one !== chosen);
  return (
    <Stack>
      {fault !== null && (
        <Alert color="red" role="alert">
          {fault}
        </Alert>
      )}
      {chosen && <TypedProof key={chosen} {...{ kind: chosen, label, onProof }} />}
      {canUsePasskey && (
        <Button variant={chosen ? 'default' : 'filled'} onClick={() => void proveByPasskey()}>
          Use a passkey
        </Button>
      )}
      {other && (
        <Button variant="subtle" onClick={() => setChosen(other)}>
          Use a {typed[other].label.toLowerCase()} instead
        </Button>
      )}
    </Stack>
  );
}

function TypedProof(props: {
  kind: keyof typeof typed;
  label: string;
  onProof: ProofFormProps['onProof'];
}): ReactElement {
  const { field, label, description } = typed[props.kind];
  const form = useForm({ initialValues: { value: '' } });
  const submit = form.onSubmit(async ({ value }) => {
    try {
      await props.onProof({ [field]: value.trim() });
    } catch (error) {
      form.setErrors({ value: messageOf(error) });
    }
  });
  const shared = {
    label,
    description,
    'data-autofocus': true,
    required: true,
    withAsterisk: false,
  } as const;
  return (
    <form onSubmit={submit}>
      <Stack>
        {field === 'password' ? (
          <PasswordInput
            {...shared}
            autoComplete="current-password"
            {...form.getInputProps('value')}
          />
        ) : (
          <TextInput
            {...shared}
            autoComplete={field === 'code' ? 'one-time-code' : 'off'}
            {...form.getInputProps('value')}
          />
        )}
        <Button type="submit" loading={form.submitting}>
          {props.label}
        </Button>
      </Stack>
    </form>
  );
}
