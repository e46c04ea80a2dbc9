import type { WorkspaceAnswer, WorkspaceSettings } from '@postroom/contracts';
import { Radio, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { accountQuery } from '../../api/account.js';
import { api, newIdempotencyKey } from '../../api/api.js';
import { useUnsavedText } from '../../shell/unsaved.js';
import { tellDone } from '../../ui/notices.js';
import { Page, Section } from '../../ui/page.js';
import { StackForm, useSubmit } from '../../ui/submit.js';
import { QueryState } from '../../ui/states.js';
import { workspaceQuery } from '../queries.js';
import { Quotas } from './quotas.js';
import { WorkingHours } from './working-hours.js';

export const WorkspacePage = (): ReactElement => (
  <Page title="Workspace" width={760}>
    <QueryState query={useQuery(workspaceQuery)}>
      {({ workspace }) => (
        <>
          <WorkspaceForm workspace={workspace} />
          <Quotas quotas={workspace.quotas} />
        </>
      )}
    </QueryState>
  </Page>
);

const zones = Intl.supportedValuesOf('timeZone');

function WorkspaceForm({ workspace }: { workspace: WorkspaceSettings }): ReactElement {
  const client = useQueryClient();
  const { name, timeZone, workingHours, mailEffects } = workspace;
  const form = useForm<
    Pick<WorkspaceSettings, 'name' | 'timeZone' | 'workingHours' | 'mailEffects'>
  >({ initialValues: { name, timeZone, workingHours, mailEffects } });
  useUnsavedText(form.isDirty());
  const submission = useSubmit(form, async (values) => {
    const options = { idempotencyKey: newIdempotencyKey() };
    const saved = await api.patch<WorkspaceAnswer>('/workspace', values, options);
    client.setQueryData(workspaceQuery.queryKey, saved);
    form.resetDirty();
    await client.invalidateQueries({ queryKey: accountQuery.queryKey });
    tellDone('The workspace is changed.');
  });
  return (
    <StackForm {...{ form, submission }} gap="lg" onPage>
      <Section title="Name and time">
        <TextInput label="Name" required maxLength={120} {...form.getInputProps('name')} />
        <Select
          {...{ label: 'Time zone', searchable: true, allowDeselect: false }}
          description="Days of statistics and working hours follow its clocks."
          data={zones.includes(timeZone) ? zones : [timeZone, ...zones]}
          {...form.getInputProps('timeZone')}
        />
      </Section>
      <WorkingHours form={form} />
      <Section title="Invitations and answers by mail">
        <Radio.Group
          {...{ label: 'Which mail changes calendars by itself' }}
          {...form.getInputProps('mailEffects')}
        >
          <Stack gap="xs" mt="xs">
            <Radio
              {...{ value: 'authenticated', label: 'Mail that is shown to come from its sender' }}
              description="Others wait as unconfirmed until a member confirms them."
            />
            <Radio
              {...{ value: 'any', label: 'Any mail' }}
              description="Anybody may write an invitation in anybody’s name."
            />
          </Stack>
        </Radio.Group>
      </Section>
    </StackForm>
  );
}
