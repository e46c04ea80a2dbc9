import type { CreatedSandbox, OwnSandboxList } from '@postroom/contracts';
import { Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api } from '../../api/api.js';
import { Copied } from '../../keys/secret-once.js';
import { Icon } from '../../ui/icons.js';
import { Section } from '../../ui/page.js';
import { Row, Rows } from '../../ui/row.js';
import { QueryState } from '../../ui/states.js';
import { StackForm, useSubmit } from '../../ui/submit.js';
import { Time } from '../../ui/time.js';

const sandboxesQuery = queryOptions({
  queryKey: ['settings', 'sandboxes'],
  queryFn: ({ signal }) => api.get<OwnSandboxList>('/sandboxes', undefined, signal),
});

/** The sandboxes that the workspace has made, and the making of one. */
export const Sandboxes = (): ReactElement => (
  <Section
    title="Sandboxes"
    about="Ten at most. The same name and administrator again give a new link; an operator removes one."
  >
    <QueryState query={useQuery(sandboxesQuery)}>
      {({ items }) =>
        items.length === 0 ? (
          <Text size="sm">None yet.</Text>
        ) : (
          <Rows label="Sandboxes">
            {items.map(({ id, name, domain, createdAt }) => (
              <Row
                key={id}
                start={<Icon name="play" />}
                title={<bdi>{name}</bdi>}
                about={
                  <>
                    Mailboxes of {domain} · since <Time at={createdAt} />
                  </>
                }
              />
            ))}
          </Rows>
        )
      }
    </QueryState>
    <NewSandbox />
  </Section>
);

function NewSandbox(): ReactElement {
  const client = useQueryClient();
  const [made, setMade] = useState<CreatedSandbox | null>(null);
  const form = useForm({ initialValues: { name: '', adminEmail: '' } });
  const submission = useSubmit(form, async (values) => {
    setMade(await api.post<CreatedSandbox>('/sandboxes', values));
    form.setFieldValue('name', '');
    await client.invalidateQueries(sandboxesQuery);
  });
  return (
    <Stack gap="sm">
      <StackForm {...{ form, submission, label: 'Make a sandbox' }} gap="sm" onPage>
        <Group grow preventGrowOverflow={false} align="flex-start">
          <TextInput
            {...{ label: 'Name', required: true, maxLength: 80, miw: 220 }}
            {...form.getInputProps('name')}
          />
          <TextInput
            {...{ label: 'Its administrator', type: 'email', required: true, miw: 220 }}
            description="Another address than in this workspace, or another password."
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            {...form.getInputProps('adminEmail')}
          />
        </Group>
      </StackForm>
      {made && (
        <Stack gap="xs" role="status">
          <Text size="sm">
            <bdi>{made.sandbox.name}</bdi> is ready. Its administrator chooses a password by this
            link, within 7 days; it is shown this once.
          </Text>
          <Copied label="Link" value={made.invitationUrl} />
        </Stack>
      )}
    </Stack>
  );
}
