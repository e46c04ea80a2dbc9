import type { Erasure, ErasureAnswer } from '@postroom/contracts';
import { Alert, Button, Group, List, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState, type ReactElement } from 'react';
import { api, urlOf } from '../../api/api.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { Icon } from '../../ui/icons.js';
import { tellDone } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { LineForm, useSubmit } from '../../ui/submit.js';

/** The data of a correspondent: counted, exported, erased. */
export function Person(): ReactElement {
  const [found, setFound] = useState<{ email: string; counts: Erasure } | null>(null);
  const form = useForm({ initialValues: { email: '' } });
  const submission = useSubmit(form, async ({ email }) => {
    const { erasure } = await api.post<ErasureAnswer>('/erasures', { email, dryRun: true });
    setFound({ email, counts: erasure });
  });
  return (
    <Section
      title="Data of a person"
      about="What is kept of somebody who writes to you: to hand it over, or to erase it when asked."
    >
      <LineForm {...{ form, submission }} variant="default" label="See what is kept">
        <TextInput
          {...{ label: 'Address', type: 'email', required: true, flex: 1, maw: 360 }}
          {...form.getInputProps('email')}
        />
      </LineForm>
      {found && <Found key={found.email} {...found} onErased={() => setFound(null)} />}
    </Section>
  );
}

const lines: readonly (readonly [keyof Omit<Erasure, 'dryRun'>, string])[] = [
  ['messages', 'messages from this person are emptied'],
  ['mentions', 'other messages lose the address'],
  ['drafts', 'drafts lose it as a recipient'],
  ['contacts', 'contacts are deleted'],
  ['events', 'events lose the person'],
];

function Found(props: { email: string; counts: Erasure; onErased: () => void }): ReactElement {
  const { email, counts } = props;
  const isNothing = lines.every(([name]) => counts[name] === 0);
  if (isNothing)
    return (
      <Alert color="gray" role="status">
        Nothing is kept of {email}.
      </Alert>
    );
  const erase = async (): Promise<void> => {
    await api.post<ErasureAnswer>('/erasures', { email });
    tellDone(`The data of ${email} is erased.`);
    props.onErased();
  };
  return (
    <Stack gap="sm" role="status">
      <Text size="sm">An erasure of {email} would change:</Text>
      <List size="sm">
        {lines.map(([name, text]) => (
          <List.Item key={name}>
            {counts[name]} {text}
          </List.Item>
        ))}
      </List>
      <Group gap="xs">
        <Button
          {...{ component: 'a', size: 'xs', variant: 'default' }}
          {...{ href: urlOf('/persons/export', { email }), download: `${email}.ndjson` }}
          leftSection={<Icon name="download" size={14} />}
        >
          Export it
        </Button>
        <ConfirmButton
          {...{ label: 'Erase it', confirm: 'Erase for good' }}
          {...{ button: { color: 'red', variant: 'light' } }}
          question={`What came from ${email} is emptied for good. Nobody can bring it back.`}
          onConfirm={erase}
        />
      </Group>
    </Stack>
  );
}
