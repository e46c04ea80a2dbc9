import type { Member, ProofMethod, SignInAnswer } from '@postroom/contracts';
import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { startAuthentication } from '@simplewebauthn/browser';
import { useState, type ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { api } from '../api/api.js';
import { messageOf, passkeyRefusal } from '../api/problem.js';
import { resume } from '../api/session.js';
import { tellOtherTabs } from './other-tabs.js';
import { ProofForm, type RequestOfPasskey } from './proof-form.js';

/** The sign-in over the page. Only the member whose page it is goes on. */
export function SignInAgain({ onOther }: { onOther: (member: Member) => void }): ReactElement {
  const { member } = useAccount();
  const [methods, setMethods] = useState<readonly ProofMethod[] | null>(null);
  const finish = (answer: SignInAnswer): void => {
    if (answer.secondFactor) setMethods(answer.secondFactor.methods);
    else if (answer.member && answer.member.id !== member.id) {
      setMethods(null);
      onOther(answer.member);
    } else {
      resume('sign-in');
      tellOtherTabs(member.id);
    }
  };
  return (
    <Stack>
      <Text size="sm">Sign in again to go on; what you were writing is still there.</Text>
      {methods === null ? (
        <FirstStep onAnswer={finish} />
      ) : (
        <ProofForm
          {...{ methods, label: 'Sign in' }}
          onProof={async (proof) =>
            finish(await api.post<SignInAnswer>('/session/second-factor', proof))
          }
        />
      )}
    </Stack>
  );
}

function FirstStep({ onAnswer }: { onAnswer: (answer: SignInAnswer) => void }): ReactElement {
  const { email } = useAccount().member;
  const form = useForm({ initialValues: { password: '' } });
  const submit = form.onSubmit(async ({ password }) => {
    try {
      onAnswer(await api.post<SignInAnswer>('/session', { email, password }));
    } catch (error) {
      form.setErrors({ password: messageOf(error) });
    }
  });
  const byPasskey = async (): Promise<void> => {
    try {
      const { options } = await api.get<RequestOfPasskey>('/session/passkey');
      const credential = await startAuthentication({ optionsJSON: options });
      onAnswer(await api.post<SignInAnswer>('/session/passkey', { credential }));
    } catch (error) {
      form.setErrors({ password: passkeyRefusal(error) });
    }
  };
  const elsewhere = `/sign-in?email=${encodeURIComponent(email)}&next=%2Fsign-in`;
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput label="Email address" value={email} readOnly autoComplete="username" />
        <PasswordInput
          {...{ label: 'Password', autoComplete: 'current-password', 'data-autofocus': true }}
          {...form.getInputProps('password')}
        />
        <Button type="submit" loading={form.submitting}>
          Sign in
        </Button>
        <Button variant="default" onClick={() => void byPasskey()}>
          Use a passkey
        </Button>
        <Text size="sm">
          <Anchor inherit href={elsewhere} target="_blank" rel="noreferrer">
            Sign in with your provider
          </Anchor>{' '}
          in a new tab, then come back here.
        </Text>
      </Stack>
    </form>
  );
}
