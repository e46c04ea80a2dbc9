import type { MemberAccess } from '@postroom/contracts';
import { MultiSelect, Radio, Stack } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { useAccount } from '../../api/account.js';

/** The readers of a mailbox: the whole workspace, or chosen members. */
export function AccessField(props: {
  value: MemberAccess;
  onChange: (access: MemberAccess) => void;
  error: ReactNode;
}): ReactElement {
  const { members } = useAccount();
  const { value } = props;
  return (
    <Stack gap="xs">
      <Radio.Group
        {...{ label: 'Who sees it', error: props.error }}
        value={value === 'workspace' ? 'workspace' : 'members'}
        onChange={(chosen) => props.onChange(chosen === 'workspace' ? 'workspace' : [])}
      >
        <Stack gap={6} mt={4}>
          <Radio value="workspace" label="Everyone of the workspace" />
          <Radio value="members" label="Chosen members" />
        </Stack>
      </Radio.Group>
      {value !== 'workspace' && (
        <MultiSelect
          {...{ 'aria-label': 'Members who see it', searchable: true, value }}
          data={members.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={props.onChange}
        />
      )}
    </Stack>
  );
}
