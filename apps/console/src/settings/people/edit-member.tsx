import type { Member, MemberAnswer } from '@postroom/contracts';
import { Button, Checkbox, Modal, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState, type ReactElement } from 'react';
import { api, newIdempotencyKey } from '../../api/api.js';
import { useUnsavedText } from '../../shell/unsaved.js';
import { tellDone } from '../../ui/notices.js';
import { FormFault, useSubmit } from '../../ui/submit.js';

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
  const { onSubmit, fault } = useSubmit(form, async (values) => {
    await api.patch<MemberAnswer>(`/members/${member.id}`, values, {
      ...{ idempotencyKey, ifMatch: member.version },
    });
    tellDone('The member is changed.');
    onClose();
  });
  return (
    <form onSubmit={onSubmit}>
      <Stack>
        <TextInput label="Email address" value={member.email} readOnly />
        <TextInput label="Name" required maxLength={120} {...form.getInputProps('name')} />
        <Select
          {...{ label: 'Role', allowDeselect: false }}
          data={[
            { value: 'member', label: 'Member' },
            { value: 'admin', label: 'Administrator' },
          ]}
          {...form.getInputProps('role')}
        />
        <Checkbox
          label="May decide what agents ask for"
          {...form.getInputProps('canApprove', { type: 'checkbox' })}
        />
        <FormFault fault={fault} />
        <Button type="submit" loading={form.submitting}>
          Save
        </Button>
      </Stack>
    </form>
  );
}
