import type { Domain, DomainAnswer } from '@postroom/contracts';
import { Alert, Badge, Button, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api, newIdempotencyKey } from '../../api/api.js';
import { messageOf } from '../../api/problem.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { CopyButton } from '../../ui/copy-button.js';
import { tellDone } from '../../ui/notices.js';
import { Page, Section } from '../../ui/page.js';
import { EmptyState, QueryState } from '../../ui/states.js';
import { LineForm, useSubmit } from '../../ui/submit.js';
import { domainsQuery } from '../queries.js';

export const DomainsPage = (): ReactElement => (
  <Page
    title="Domains"
    intro="Mail to a proved domain arrives here and leaves from here. Prove it with a record in your name system."
    width={860}
  >
    <AddDomain />
    <QueryState query={useQuery(domainsQuery)}>
      {({ items }) =>
        items.length === 0 ? (
          <EmptyState icon="external" title="No domains yet">
            Add the part after the @ of your addresses. Mailboxes of other servers need none.
          </EmptyState>
        ) : (
          <Stack>
            {items.map((domain) => (
              <DomainCard key={domain.id} domain={domain} />
            ))}
          </Stack>
        )
      }
    </QueryState>
  </Page>
);

function AddDomain(): ReactElement {
  const client = useQueryClient();
  const [idempotencyKey, setKey] = useState(newIdempotencyKey);
  const form = useForm({ initialValues: { name: '' } });
  const submission = useSubmit(form, async (values) => {
    await api.post('/domains', values, { idempotencyKey });
    form.reset();
    setKey(newIdempotencyKey());
    await client.invalidateQueries({ queryKey: domainsQuery.queryKey });
  });
  return (
    <LineForm {...{ form, submission }} label="Add the domain">
      <TextInput
        {...{ label: 'Domain', placeholder: 'example.org', required: true }}
        {...{ flex: 1, maw: 320, maxLength: 253 }}
        {...form.getInputProps('name')}
      />
    </LineForm>
  );
}

function DomainCard({ domain }: { domain: Domain }): ReactElement {
  const client = useQueryClient();
  const refresh = (): Promise<void> =>
    client.invalidateQueries({ queryKey: domainsQuery.queryKey });
  const proof = useMutation({
    mutationFn: () => api.post<DomainAnswer>(`/domains/${domain.id}/verify`),
    onSuccess: () => {
      tellDone(`${domain.name} is proved.`);
      return refresh();
    },
  });
  const isVerified = domain.state === 'verified';
  return (
    <Section
      title={domain.name}
      actions={
        <>
          <Badge variant="light" color={isVerified ? 'teal' : 'yellow'}>
            {isVerified ? 'Proved' : 'Not proved yet'}
          </Badge>
          <ConfirmButton
            {...{ label: 'Remove', name: `Remove ${domain.name}`, confirm: 'Remove it' }}
            question="Its mailboxes stay, and mail neither arrives in them nor leaves from them, unless they have a server of their own."
            onConfirm={async () => {
              const options = { ifMatch: domain.version, query: { force: true } };
              await api.delete(`/domains/${domain.id}`, options);
              await refresh();
            }}
          />
        </>
      }
    >
      {!isVerified && (
        <>
          <Text size="sm">Set this record where the domain is administered:</Text>
          <RecordToSet record={domain.record} />
          {proof.error && (
            <Alert color="yellow" role="status">
              {messageOf(proof.error)} A new record may take an hour to be seen.
            </Alert>
          )}
          <Group>
            <Button loading={proof.isPending} onClick={() => proof.mutate()}>
              Look for the record
            </Button>
          </Group>
        </>
      )}
    </Section>
  );
}

const RecordToSet = ({ record }: { record: Domain['record'] }): ReactElement => (
  <Stack gap={6}>
    {[
      ['Type', record.type],
      ['Name', record.name],
      ['Value', record.value],
    ].map(([label = '', value = '']) => (
      <Group key={label} gap="xs" wrap="nowrap">
        <Text size="sm" w={52} c="dimmed">
          {label}
        </Text>
        <Code flex="0 1 auto" className="anywhere">
          {value}
        </Code>
        {label !== 'Type' && <CopyButton value={value} />}
      </Group>
    ))}
  </Stack>
);
