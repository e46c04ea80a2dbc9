import type { Assistants, WorkspaceAnswer } from '@postroom/contracts';
import { Switch, TagsInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api, newIdempotencyKey } from '../../api/api.js';
import { ScopeFields } from '../../keys/scope-fields.js';
import { useUnsavedText } from '../../shell/unsaved.js';
import { tellDone } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { QueryState } from '../../ui/states.js';
import { StackForm, useSubmit } from '../../ui/submit.js';
import { workspaceQuery } from '../queries.js';

/** The most that members may allow assistants that they connect. */
export const AssistantRules = (): ReactElement => (
  <Section
    title="What members may allow"
    about="It holds for connected assistants too, from their next request on."
  >
    <QueryState query={useQuery(workspaceQuery)}>
      {({ workspace }) => <RulesForm assistants={workspace.assistants} />}
    </QueryState>
  </Section>
);

function RulesForm({ assistants }: { assistants: Assistants }): ReactElement {
  const client = useQueryClient();
  const [idempotencyKey, setIdempotencyKey] = useState(newIdempotencyKey);
  const form = useForm({ initialValues: { assistants } });
  useUnsavedText(form.isDirty());
  const submission = useSubmit(form, async (values) => {
    const saved = await api.patch<WorkspaceAnswer>('/workspace', values, { idempotencyKey });
    client.setQueryData(workspaceQuery.queryKey, saved);
    setIdempotencyKey(newIdempotencyKey());
    form.resetDirty();
    tellDone('It is in force from the next request on.');
  });
  const { enabled, clients, scopes } = form.values.assistants;
  // The server names a host by its place.
  const clientFaults = Object.entries(form.errors)
    .filter(([path]) => path.startsWith('assistants.clients'))
    .map(([path, fault]) => `“${clients[Number(path.split('.')[2])] ?? ''}”: ${fault as string}.`);
  return (
    <StackForm {...{ form, submission }} onPage>
      <Switch
        {...{ label: 'Members may connect assistants' }}
        description="Off: those that are connected are refused too."
        {...form.getInputProps('assistants.enabled', { type: 'checkbox' })}
      />
      {(enabled || clientFaults.length > 0) && (
        <>
          <TagsInput
            {...{ label: 'From these hosts alone', placeholder: 'claude.ai', maxTags: 100 }}
            description="The host that answers for an assistant; localhost is any program on a member’s computer. Empty: from any."
            {...form.getInputProps('assistants.clients')}
            error={clientFaults.length > 0 && clientFaults.join(' ')}
            onChange={(next) => {
              form.clearErrors();
              form.setFieldValue('assistants.clients', next);
            }}
          />
          <ScopeFields
            {...{ value: scopes, canSend: false }}
            onChange={(next) => form.setFieldValue('assistants.scopes', [...next])}
          />
        </>
      )}
    </StackForm>
  );
}
