import type { FolderRole, MailboxSync, MailboxSyncAnswer } from '@postroom/contracts';
import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api } from '../../api/api.js';
import { tellDone, tellFailure } from '../../ui/notices.js';
import { Row, Rows } from '../../ui/row.js';
import { syncQuery } from '../queries.js';

type Folder = MailboxSync['folders'][number];

const roles: Readonly<Record<FolderRole, string>> = {
  ...{ inbox: 'Inbox', sent: 'Sent', archive: 'Archive', drafts: 'Drafts' },
  ...{ junk: 'Spam', trash: 'Trash', other: 'Other, not read' },
};

/** The folders at the account, and what each is used for. */
export function Folders(props: {
  mailboxId: string;
  folders: readonly Folder[];
}): ReactElement | null {
  const [isOpen, { toggle }] = useDisclosure(false);
  if (props.folders.length === 0) return null;
  return (
    <Stack gap="xs">
      <Group>
        <Button {...{ size: 'xs', variant: 'default', onClick: toggle, 'aria-expanded': isOpen }}>
          {isOpen ? 'Hide its folders' : `Show its folders (${props.folders.length})`}
        </Button>
      </Group>
      {isOpen && (
        <>
          <Text size="sm" c="dimmed">
            What is archived, sent or thrown away here goes where the account keeps such mail. Say
            it where the names of its folders do not.
          </Text>
          <Rows label="Folders">
            {props.folders.map((folder) => (
              <FolderRow key={folder.path} {...{ folder, mailboxId: props.mailboxId }} />
            ))}
          </Rows>
        </>
      )}
    </Stack>
  );
}

function FolderRow(props: { mailboxId: string; folder: Folder }): ReactElement {
  const client = useQueryClient();
  const [isBusy, setIsBusy] = useState(false);
  const { mailboxId, folder } = props;
  const { path, role, total, read } = folder;
  const set = async (next: string | null): Promise<void> => {
    setIsBusy(true);
    try {
      const body = { path, role: next };
      const url = `/mailboxes/${mailboxId}/folders`;
      const answer = await api.patch<MailboxSyncAnswer>(url, body);
      client.setQueryData(syncQuery(mailboxId).queryKey, answer);
      tellDone(`${path}: ${roles[next as FolderRole]}. The account is read again.`);
    } catch (error) {
      tellFailure(error, () => void set(next));
    }
    setIsBusy(false);
  };
  return (
    <Row
      title={<bdi>{path}</bdi>}
      about={total > 0 && `${read.toLocaleString('en')} of ${total.toLocaleString('en')} are here`}
    >
      <Select
        {...{ size: 'xs', w: 150, value: role, allowDeselect: false, disabled: isBusy }}
        aria-label={`Use of ${path}`}
        data={Object.entries(roles).map(([value, label]) => ({ value, label }))}
        onChange={(next) => next !== role && void set(next)}
      />
    </Row>
  );
}
