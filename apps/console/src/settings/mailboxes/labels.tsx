import type { LabelChanged, LabelList, Mailbox } from '@postroom/contracts';
import { Button, Modal, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api } from '../../api/api.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { Icon } from '../../ui/icons.js';
import { tellDone } from '../../ui/notices.js';
import { Row, Rows } from '../../ui/row.js';
import { Section } from '../../ui/page.js';
import { StackForm, useSubmit } from '../../ui/submit.js';
import { QueryState } from '../../ui/states.js';

/** Labels of a mailbox: renamed, merged, removed. */
export function Labels({ mailbox }: { mailbox: Mailbox }): ReactElement {
  const { id, address } = mailbox;
  const client = useQueryClient();
  const [renamed, setRenamed] = useState<string | null>(null);
  const key = ['labels', address];
  const query = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => api.get<LabelList>('/v1/labels', { mailbox: address }, signal),
  });
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: key });
  const pathOf = (label: string): string => `/mailboxes/${id}/labels/${encodeURIComponent(label)}`;
  return (
    <Section title="Labels" about="A label that gets the name of another is merged into it.">
      <QueryState query={query}>
        {({ labels }) =>
          labels.length === 0 ? (
            <Text size="sm">No conversation of this mailbox has a label.</Text>
          ) : (
            <Rows label="Labels">
              {labels.map(({ label, conversations }) => (
                <Row
                  key={label}
                  start={<Icon name="label" />}
                  title={<bdi>{label}</bdi>}
                  about={conversationsOf(conversations)}
                >
                  <Button
                    {...{ size: 'xs', variant: 'default', 'aria-label': `Rename ${label}` }}
                    onClick={() => setRenamed(label)}
                  >
                    Rename
                  </Button>
                  <ConfirmButton
                    {...{ label: 'Remove', name: `Remove ${label}`, confirm: 'Remove it' }}
                    question={`It is taken off ${conversationsOf(conversations)}.`}
                    onConfirm={async () => {
                      await api.delete(pathOf(label));
                      await refresh();
                    }}
                  />
                </Row>
              ))}
            </Rows>
          )
        }
      </QueryState>
      <Modal opened={renamed !== null} onClose={() => setRenamed(null)} title="Rename the label">
        {renamed !== null && (
          <RenameForm
            {...{ label: renamed, path: pathOf(renamed) }}
            onDone={() => {
              setRenamed(null);
              void refresh();
            }}
          />
        )}
      </Modal>
    </Section>
  );
}

const conversationsOf = (count: number): string =>
  count === 1 ? '1 conversation' : `${count} conversations`;

function RenameForm(props: { label: string; path: string; onDone: () => void }): ReactElement {
  const form = useForm({ initialValues: { name: props.label } });
  const submission = useSubmit(form, async (values) => {
    const { conversations } = await api.patch<LabelChanged>(props.path, values);
    tellDone(`${conversationsOf(conversations)} changed to the label ${values.name}.`);
    props.onDone();
  });
  return (
    <StackForm {...{ form, submission }} label="Rename">
      <TextInput
        {...{ label: 'New name', required: true, maxLength: 64, 'data-autofocus': true }}
        {...form.getInputProps('name')}
      />
    </StackForm>
  );
}
