import type { PasskeyList, SecondFactorState, SignInAnswer } from '@postroom/contracts';
import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { api } from '../api/api.js';
import { resume } from '../api/session.js';
import { ErrorState, Loading } from '../ui/states.js';
import { ProofForm, type Proof } from './proof-form.js';

/** Asks for a proof of who the member is, before a change of how people sign in. */
export function StepUp(): ReactElement {
  const { data, error } = useQuery({
    queryKey: ['proof-methods'],
    queryFn: proofMethods,
    staleTime: 0,
    gcTime: 0,
  });
  if (error) return <ErrorState error={error} />;
  if (!data) return <Loading />;
  return (
    <Stack>
      <Text size="sm">
        What you are about to change decides who can sign in. Your proof holds for 15 minutes.
      </Text>
      <ProofForm
        {...{ methods: data, label: 'Confirm' }}
        onProof={async (proof) => {
          await api.post<SignInAnswer>('/session/second-factor', proof);
          resume('step-up');
        }}
      />
      {data.includes('password') && <ByProvider />}
    </Stack>
  );
}

/** A member without a password proves itself by a sign-in with its provider. */
function ByProvider(): ReactElement {
  const { email } = useAccount().member;
  const start = `/settings/api/oidc/start?email=${encodeURIComponent(email)}&next=%2Fsign-in`;
  return (
    <Text size="sm" c="dimmed">
      No password? Sign in again{' '}
      <Anchor inherit href={start} target="_blank" rel="noreferrer">
        with your provider
      </Anchor>{' '}
      in a new tab, then{' '}
      <Button variant="transparent" size="compact-sm" p={0} onClick={() => resume('step-up')}>
        go on
      </Button>
      .
    </Text>
  );
}

async function proofMethods(): Promise<readonly Proof[]> {
  const [{ totp, recoveryCodes }, { items }] = await Promise.all([
    api.get<SecondFactorState>('/me/second-factor'),
    api.get<PasskeyList>('/me/passkeys'),
  ]);
  const methods: Proof[] = [];
  if (items.length > 0) methods.push('passkey');
  if (totp) methods.push('totp');
  if (methods.length > 0 && recoveryCodes > 0) methods.push('recovery_code');
  return methods.length > 0 ? methods : ['password'];
}
