import type { InvitedMember } from '@postroom/contracts';
import { Button, Checkbox, Modal, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api, newIdempotencyKey } from '../../api/api.js';
import { useUnsavedText } from '../../shell/unsaved.js';
import { FormFault, useSubmit } from '../../ui/submit.js';
import { OneTimeLink } from './one-time-link.js';

interface InviteDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Invites a member: its link is shown this once. */
export function InviteDialog({ opened, onClose }: InviteDialogProps): ReactElement {
  const [invited, setInvited] = useState<InvitedMember | null>(null);
  const close = (): void => {
    setInvited(null);
    onClose();
  };
  return (
    <Modal
      {...{ opened, onClose: close, title: invited ? 'The invitation' : 'Invite somebody' }}
      closeOnClickOutside={invited === null}
    >
      {invited ? (
        <OneTimeLink
          {...{ url: invited.invitationUrl ?? '', onClose: close }}
          about={
            <>
              Give this link to <bdi>{invited.member.name}</bdi>. It works once, within 7 days, and
              is shown this once; a new one can be made on this page.
            </>
          }
        />
      ) : (
        opened && <InviteForm onInvited={setInvited} />
      )}
    </Modal>
  );
}

function InviteForm(props: { onInvited: (invited: InvitedMember) => void }): ReactElement {
  const client = useQueryClient();
  const [idempotencyKey] = useState(newIdempotencyKey);
  const form = useForm({
    initialValues: { email: '', name: '', role: 'member', canApprove: false },
  });
  useUnsavedText(form.isDirty());
  const { onSubmit, fault } = useSubmit(form, async (values) => {
    const invited = await api.post<InvitedMember>('/members', values, { idempotencyKey });
    await client.invalidateQueries({ queryKey: ['settings'] });
    props.onInvited(invited);
  });
  return (
    <form onSubmit={onSubmit}>
      <Stack>
        <TextInput
          {...{ label: 'Email address', type: 'email', required: true, 'data-autofocus': true }}
          {...form.getInputProps('email')}
        />
        <TextInput label="Name" required maxLength={120} {...form.getInputProps('name')} />
        <Select
          {...{ label: 'Role', allowDeselect: false }}
          data={[
            { value: 'member', label: 'Member: works with mail' },
            { value: 'admin', label: 'Administrator: changes settings too' },
          ]}
          {...form.getInputProps('role')}
        />
        <Checkbox
          label="May decide what agents ask for"
          {...form.getInputProps('canApprove', { type: 'checkbox' })}
        />
        <FormFault fault={fault} />
        <Button type="submit" loading={form.submitting}>
          Make the invitation
        </Button>
      </Stack>
    </form>
  );
}
