import { Checkbox, Modal, Select, Text, TextInput } from '@mantine/core';
import { isNotEmpty, useForm, type UseFormReturnType } from '@mantine/form';
import type { InvitedMember, Member, MemberAnswer } from '@postroom/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api, newIdempotencyKey } from '../../api/api.js';
import { useUnsavedText } from '../../shell/unsaved.js';
import { tellDone } from '../../ui/notices.js';
import { StackForm, useSubmit } from '../../ui/submit.js';
import { OneTimeLink } from './invitations.js';

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
    validate: {
      email: (email) =>
        /^[^\s@]+@[^\s@]+$/.test(email) ? null : 'Write a whole address, as name@example.com.',
      name: isNotEmpty('Write the name that colleagues see.'),
    },
  });
  useUnsavedText(form.isDirty());
  const submission = useSubmit(form, async (values) => {
    const invited = await api.post<InvitedMember>('/members', values, { idempotencyKey });
    await client.invalidateQueries({ queryKey: ['settings'] });
    props.onInvited(invited);
  });
  return (
    <StackForm {...{ form, submission }} noValidate label="Make the invitation">
      <Text size="sm">
        No mail is sent. You are shown a link to hand over, with which they choose a password.
      </Text>
      <TextInput
        {...{ label: 'Email address', type: 'email', required: true, 'data-autofocus': true }}
        {...form.getInputProps('email')}
      />
      <NameAndRights form={form} />
    </StackForm>
  );
}

interface Rights {
  readonly name: string;
  readonly role: string;
  readonly canApprove: boolean;
}

function NameAndRights<T extends Rights>({ form }: { form: UseFormReturnType<T> }): ReactElement {
  return (
    <>
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
    </>
  );
}

/** Changes the name and the rights of a member. */
export const EditMember = (props: { member: Member | null; onClose: () => void }): ReactElement => (
  <Modal opened={props.member !== null} onClose={props.onClose} title="Change a member">
    {props.member && <EditForm member={props.member} onClose={props.onClose} />}
  </Modal>
);

function EditForm({ member, onClose }: { member: Member; onClose: () => void }): ReactElement {
  const [idempotencyKey] = useState(newIdempotencyKey);
  const { name, role, canApprove } = member;
  const form = useForm<{ name: string; role: string; canApprove: boolean }>({
    initialValues: { name, role, canApprove },
  });
  useUnsavedText(form.isDirty());
  const submission = useSubmit(form, async (values) => {
    await api.patch<MemberAnswer>(`/members/${member.id}`, values, {
      ...{ idempotencyKey, ifMatch: member.version },
    });
    tellDone('The member is changed.');
    onClose();
  });
  return (
    <StackForm {...{ form, submission }}>
      <TextInput label="Email address" value={member.email} readOnly />
      <NameAndRights form={form} />
    </StackForm>
  );
}
