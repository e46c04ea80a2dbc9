import type { Mailbox } from '@postroom/contracts';
import { Stack, Switch } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactElement } from 'react';
import { useUnsavedText } from '../../shell/unsaved.js';
import { Section } from '../../ui/page.js';
import { StackForm, useSubmit } from '../../ui/submit.js';
import { ServerFields, serverGiven, valuesOf } from './server-fields.js';
import { useChange } from './general.js';

const kinds = [
  { kind: 'imap', title: 'Arriving mail (IMAP)', label: 'Its mail is read from a server of yours' },
  {
    kind: 'outgoing',
    title: 'Outgoing mail (SMTP)',
    label: 'Its mail leaves by a server of yours',
  },
] as const;

/** The servers of a mailbox that has its own. */
export function Servers({ mailbox }: { mailbox: Mailbox }): ReactElement {
  const change = useChange(mailbox);
  const form = useForm({
    initialValues: {
      uses: { imap: mailbox.imap !== null, outgoing: mailbox.outgoing !== null },
      imap: valuesOf(mailbox.imap, 993),
      outgoing: valuesOf(mailbox.outgoing, 465),
    },
  });
  useUnsavedText(form.isDirty());
  const submission = useSubmit(form, ({ uses, imap, outgoing }) =>
    change({
      imap: uses.imap ? serverGiven(imap) : null,
      outgoing: uses.outgoing ? serverGiven(outgoing) : null,
    }),
  );
  return (
    <Section
      title="Servers"
      about="Without servers of yours, the deployment’s take and send the mail."
    >
      <StackForm {...{ form, submission }} maw={520} label="Save the servers" onPage>
        {kinds.map(({ kind, title, label }) => (
          <Stack key={kind} gap="xs">
            <Switch label={label} {...form.getInputProps(`uses.${kind}`, { type: 'checkbox' })} />
            {form.values.uses[kind] && (
              <ServerFields
                {...{ title, value: form.values[kind], isNew: mailbox[kind] === null }}
                onChange={(value) => form.setFieldValue(kind, value)}
                errorOf={(field) => form.errors[`${kind}.${field}`]}
              />
            )}
          </Stack>
        ))}
      </StackForm>
    </Section>
  );
}
