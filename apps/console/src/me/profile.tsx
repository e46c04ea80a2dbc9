import type { AccountAnswer } from '@postroom/contracts';
import { Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { accountQuery, useAccount } from '../api/account.js';
import { api, newIdempotencyKey } from '../api/api.js';
import { useUnsavedText } from '../shell/unsaved.js';
import { tellDone, tellFailure } from '../ui/notices.js';
import { Section } from '../ui/page.js';
import { StackForm, useSubmit } from '../ui/submit.js';

/** Name, address, and the switch for mail about sign-ins. */
export function Profile(): ReactElement {
  const { member } = useAccount();
  const client = useQueryClient();
  const form = useForm({ initialValues: { name: member.name } });
  useUnsavedText(form.isDirty());
  const refresh = (): Promise<void> =>
    client.invalidateQueries({ queryKey: accountQuery.queryKey });
  const change = (body: { name?: string; signInNotices?: boolean }): Promise<AccountAnswer> =>
    api.patch<AccountAnswer>('/me', body, { idempotencyKey: newIdempotencyKey() });
  const submission = useSubmit(form, async ({ name }) => {
    await change({ name });
    form.resetDirty();
    await refresh();
    tellDone('Your name is changed.');
  });
  const setNotices = (signInNotices: boolean): void => {
    const put = (on: boolean): unknown =>
      client.setQueryData(accountQuery.queryKey, (before) =>
        before ? { ...before, member: { ...before.member, signInNotices: on } } : before,
      );
    put(signInNotices);
    change({ signInNotices }).catch((error: unknown) => {
      put(!signInNotices);
      tellFailure(error, () => setNotices(signInNotices));
    });
  };
  return (
    <Section title="Profile" about="Colleagues see your name beside what you write and decide.">
      <StackForm {...{ form, submission }} gap="sm" maw={420} onPage>
        <TextInput label="Name" maxLength={120} required {...form.getInputProps('name')} />
        <TextInput
          {...{ label: 'Email address', value: member.email, readOnly: true }}
          description="You sign in with it. It stays as it is."
        />
      </StackForm>
      <Switch
        {...{ label: 'Tell me by mail of sign-ins from a new device or network' }}
        checked={member.signInNotices}
        onChange={({ currentTarget: { checked } }) => setNotices(checked)}
      />
    </Section>
  );
}
