import type { Team } from '@postroom/contracts';
import { Button, Modal, MultiSelect, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api, newIdempotencyKey, save } from '../../api/api.js';
import { useUnsavedText } from '../../shell/unsaved.js';
import { ChangeOrRemove } from '../../ui/confirm-button.js';
import { Icon } from '../../ui/icons.js';
import { Row, Rows } from '../../ui/row.js';
import { Section } from '../../ui/page.js';
import { EmptyState, QueryState } from '../../ui/states.js';
import { StackForm, useSubmit } from '../../ui/submit.js';
import { membersQuery, teamsQuery } from '../queries.js';

/** Teams, and who is in them. */
export function Teams(): ReactElement {
  const query = useQuery(teamsQuery);
  const client = useQueryClient();
  const [edited, setEdited] = useState<Team | 'new' | null>(null);
  const refresh = async (): Promise<void> => {
    await client.invalidateQueries({ queryKey: teamsQuery.queryKey });
    await client.invalidateQueries({ queryKey: ['account'] });
  };
  const add = (
    <Button variant="default" size="xs" onClick={() => setEdited('new')}>
      New team
    </Button>
  );
  return (
    <Section
      title="Teams"
      about="A conversation can be given to a team instead of a person."
      actions={add}
    >
      <QueryState query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon="team" title="No teams yet">
              Make one for those who answer the same kind of mail.
            </EmptyState>
          ) : (
            <Rows label="Teams">
              {items.map((team) => (
                <TeamRow
                  key={team.id}
                  {...{ team, onEdit: () => setEdited(team), onRemoved: refresh }}
                />
              ))}
            </Rows>
          )
        }
      </QueryState>
      <Modal
        {...{ opened: edited !== null, onClose: () => setEdited(null) }}
        title={edited === 'new' ? 'New team' : 'Change the team'}
      >
        {edited && (
          <TeamForm
            team={edited === 'new' ? null : edited}
            onDone={() => {
              setEdited(null);
              void refresh();
            }}
          />
        )}
      </Modal>
    </Section>
  );
}

function TeamRow(props: {
  team: Team;
  onEdit: () => void;
  onRemoved: () => Promise<void>;
}): ReactElement {
  const { id, name, memberIds, version } = props.team;
  const { data } = useQuery(membersQuery);
  const names = memberIds.map((one) => data?.items.find((member) => member.id === one)?.name);
  return (
    <Row
      start={<Icon name="team" />}
      title={<bdi>{name}</bdi>}
      about={memberIds.length === 0 ? 'Nobody yet' : names.filter(Boolean).join(', ')}
    >
      <ChangeOrRemove
        {...{ name, onChange: props.onEdit }}
        question="Conversations keep it until they are assigned again."
        onRemove={async () => {
          await api.delete(`/teams/${id}`, { ifMatch: version });
          await props.onRemoved();
        }}
      />
    </Row>
  );
}

function TeamForm({ team, onDone }: { team: Team | null; onDone: () => void }): ReactElement {
  const { data } = useQuery(membersQuery);
  const [idempotencyKey] = useState(newIdempotencyKey);
  const form = useForm({
    initialValues: { name: team?.name ?? '', memberIds: team?.memberIds ?? [] },
  });
  useUnsavedText(form.isDirty());
  const submission = useSubmit(form, async (values) => {
    await save('/teams', team, values, idempotencyKey);
    onDone();
  });
  return (
    <StackForm {...{ form, submission }}>
      <TextInput
        {...{ label: 'Name', required: true, maxLength: 120, 'data-autofocus': true }}
        {...form.getInputProps('name')}
      />
      <MultiSelect
        {...{ label: 'Members', searchable: true, hidePickedOptions: true }}
        data={(data?.items ?? [])
          .filter(({ active, id }) => active || form.values.memberIds.includes(id))
          .map(({ id, name }) => ({ value: id, label: name }))}
        {...form.getInputProps('memberIds')}
      />
    </StackForm>
  );
}
