import type { SignInAnswer } from '@postroom/contracts';
import { Button, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useState, useSyncExternalStore, type ReactElement } from 'react';
import { accountQuery } from '../api/account.js';
import { api } from '../api/api.js';
import { messageOf } from '../api/problem.js';
import { resumeSession, sessionState } from '../api/session.js';

/** The sign-in over the page, when the session has ended: nothing that was typed is lost. */
export function SessionDialog(): ReactElement {
  const hasEnded = useSyncExternalStore(sessionState.subscribe, sessionState.hasEnded);
  return (
    <Modal
      {...{ opened: hasEnded, onClose: () => undefined, withCloseButton: false }}
      {...{ closeOnEscape: false, closeOnClickOutside: false }}
      title="Your session has ended"
    >
      {hasEnded && <SignInAgain />}
    </Modal>
  );
}

function SignInAgain(): ReactElement {
  // Loaded before the session ended; it is not asked for anew.
  const email = useQueryClient().getQueryData(accountQuery.queryKey)?.member.email ?? '';
  const [asksForCode, setAsksForCode] = useState(false);
  const form = useForm({ initialValues: { password: '', code: '' } });
  const submit = form.onSubmit(async ({ password, code }) => {
    try {
      const answer = asksForCode
        ? await api.post<SignInAnswer>('/session/second-factor', { code })
        : await api.post<SignInAnswer>('/session', { email, password });
      if (answer.secondFactor) setAsksForCode(true);
      else resumeSession();
    } catch (error) {
      form.setErrors({ [asksForCode ? 'code' : 'password']: messageOf(error) });
    }
  });
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">Sign in again to go on; what you were writing is still there.</Text>
        <TextInput label="Email address" value={email} readOnly autoComplete="username" />
        {asksForCode ? (
          <TextInput
            {...{ label: 'Code', autoComplete: 'one-time-code', 'data-autofocus': true }}
            {...form.getInputProps('code')}
          />
        ) : (
          <PasswordInput
            {...{ label: 'Password', autoComplete: 'current-password', 'data-autofocus': true }}
            {...form.getInputProps('password')}
          />
        )}
        <Button type="submit" loading={form.submitting}>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}
