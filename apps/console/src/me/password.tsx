import { Button, Group, PasswordInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { api } from '../api/api.js';
import { ApiProblem } from '../api/problem.js';
import { tellDone } from '../ui/notices.js';
import { Section } from '../ui/page.js';
import { FormFault, useSubmit } from '../ui/submit.js';
import { sessionsQuery } from './queries.js';

/** Changes the password; every other session ends. */
export function Password(): ReactElement {
  const { email } = useAccount().member;
  const client = useQueryClient();
  const form = useForm({
    initialValues: { current: '', password: '' },
    validate: {
      password: (value) => (value.length < 10 ? 'Use at least 10 characters.' : null),
    },
  });
  const { onSubmit, fault } = useSubmit(form, async (values) => {
    await change(values);
    form.reset();
    await client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    tellDone('Your password is changed, and all other sessions have ended.');
  });
  return (
    <Section
      title="Password"
      about="A change ends all your other sessions, and links that were sent to you."
    >
      <form onSubmit={onSubmit}>
        <Stack gap="sm" maw={420}>
          <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
          <PasswordInput
            {...{ label: 'Present password', autoComplete: 'current-password', required: true }}
            {...form.getInputProps('current')}
          />
          <PasswordInput
            {...{ label: 'New password', autoComplete: 'new-password', required: true }}
            description="At least 10 characters. A few words that nobody would put together are easy to keep."
            {...form.getInputProps('password')}
          />
          <FormFault fault={fault} />
          <Group>
            <Button type="submit" loading={form.submitting}>
              Change the password
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}

async function change(values: { current: string; password: string }): Promise<void> {
  try {
    await api.post('/me/password', values);
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.code !== 'PASSWORD_WRONG') throw error;
    const { status, code, message, requestId, body, retryAfter } = error;
    const details = [{ field: 'current', message }];
    throw new ApiProblem(status, code, message, requestId, details, body, retryAfter);
  }
}
