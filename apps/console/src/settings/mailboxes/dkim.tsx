import type { Mailbox } from '@postroom/contracts';
import { Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactElement } from 'react';
import { useUnsavedText } from '../../shell/unsaved.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { Section } from '../../ui/page.js';
import { StackForm, useSubmit } from '../../ui/submit.js';
import { useChange } from './general.js';

/** The signature of the domain on messages that leave. */
export function Dkim({ mailbox }: { mailbox: Mailbox }): ReactElement {
  const change = useChange(mailbox);
  const form = useForm({
    initialValues: { dkim: { selector: mailbox.dkim?.selector ?? '', privateKey: '' } },
  });
  useUnsavedText(form.isDirty());
  const submission = useSubmit(form, ({ dkim }) => change({ dkim }));
  return (
    <Section
      title="DKIM"
      about="Messages of the mailbox are signed with a key of its domain, so that others trust them."
      actions={
        mailbox.dkim && (
          <ConfirmButton
            {...{ label: 'Stop signing', confirm: 'Stop signing' }}
            question="The key is forgotten; messages leave without a signature of the domain."
            onConfirm={() => change({ dkim: null })}
          />
        )
      }
    >
      {mailbox.dkim && <Text size="sm">Signed with the selector {mailbox.dkim.selector}.</Text>}
      <StackForm {...{ form, submission }} maw={520} label="Sign with this key" onPage>
        <TextInput
          {...{ label: 'Selector', required: true, maxLength: 63 }}
          description="The name before ._domainkey in the record of the public key."
          {...form.getInputProps('dkim.selector')}
        />
        <Textarea
          {...{ label: 'Private key (PEM)', required: true, maxLength: 10_000, rows: 4 }}
          {...{ autoComplete: 'off', spellCheck: false, description: 'Never shown again.' }}
          {...form.getInputProps('dkim.privateKey')}
        />
      </StackForm>
    </Section>
  );
}
