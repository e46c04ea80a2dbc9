import type { MailboxSync, MailboxSyncAnswer } from '@postroom/contracts';
import { Alert, Badge, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api } from '../../api/api.js';
import { useStreamEvents } from '../../stream/stream.js';
import { Icon } from '../../ui/icons.js';
import { tellFailure } from '../../ui/notices.js';
import { QueryState } from '../../ui/states.js';
import { Time } from '../../ui/time.js';
import { syncQuery } from '../queries.js';
import { Folders } from './folders.js';

const states: Readonly<Record<MailboxSync['state'], readonly [string, string]>> = {
  connecting: ['Connecting', 'indigo'],
  history: ['Reading its history', 'indigo'],
  live: ['Up to date', 'teal'],
  waiting: ['Trying again soon', 'yellow'],
  needs_attention: ['Needs attention', 'red'],
  stopped: ['Stopped', 'red'],
};

/** The reading of a mailbox: state, progress, lag and the last fault. */
export function SyncState({ mailboxId }: { mailboxId: string }): ReactElement {
  const client = useQueryClient();
  const query = syncQuery(mailboxId);
  useStreamEvents(({ type, data }) => {
    const { id } = (data['resource'] ?? {}) as { readonly id?: string };
    if (type === 'reset' || (type === 'mailbox.sync' && id === mailboxId)) {
      void client.invalidateQueries({ queryKey: query.queryKey });
    }
  });
  const restart = (): void => {
    api
      .post<MailboxSyncAnswer>(`/mailboxes/${mailboxId}/sync/restart`, {})
      .then((answer) => client.setQueryData(query.queryKey, answer), tellFailure);
  };
  return (
    <QueryState query={useQuery(query)}>
      {({ sync }) => (
        <Stack gap="xs">
          <Group gap="xs">
            <Badge variant="light" color={states[sync.state][1]}>
              {states[sync.state][0]}
            </Badge>
            <Text size="sm" c="dimmed">
              since <Time at={sync.since} />
              {sync.newestReadAt !== null && (
                <>
                  {' '}
                  · newest mail of <Time at={sync.newestReadAt} />
                </>
              )}
            </Text>
          </Group>
          <ReadSoFar sync={sync} />
          <Changes sync={sync} onRetry={restart} />
          {sync.lastError && <LastFault sync={sync} fault={sync.lastError} onRetry={restart} />}
          <Folders mailboxId={mailboxId} folders={sync.folders} />
        </Stack>
      )}
    </QueryState>
  );
}

function ReadSoFar({ sync: { folders, historyTo } }: { sync: MailboxSync }): ReactElement | null {
  const total = folders.reduce((sum, folder) => sum + folder.total, 0);
  const read = folders.reduce((sum, folder) => sum + folder.read, 0);
  const unreadable = folders.reduce((sum, folder) => sum + folder.unreadable, 0);
  if (total === 0) return null;
  const percent = Math.floor((100 * (read + unreadable)) / total);
  return (
    <Stack gap={4}>
      <Text size="sm">
        {read.toLocaleString('en')} of {total.toLocaleString('en')} messages are here
        {historyTo !== null && (
          <>
            , those since <Time at={historyTo} />
          </>
        )}
        {unreadable > 0 && `; ${unreadable} could not be read`}
      </Text>
      {percent < 100 && (
        <Progress.Root>
          <Progress.Section value={percent} aria-label="Messages read" animated />
        </Progress.Root>
      )}
    </Stack>
  );
}

/** Changes that are still to be made in the account, and those that could not be made there. */
function Changes({ sync, onRetry }: { sync: MailboxSync; onRetry: () => void }): ReactElement {
  const { changesWaiting: waiting, changesFailed: failed, lastFailedChange: last } = sync;
  return (
    <>
      {waiting > 0 && <Text size="sm">{counted(waiting)} will still be made in the account.</Text>}
      {failed > 0 && (
        <Alert
          {...{ color: 'yellow', variant: 'light', icon: <Icon name="warning" /> }}
          title={`${counted(failed)} could not be made in the account`}
        >
          <Stack gap="xs" align="flex-start">
            {last && (
              <Text size="sm" className="anywhere">
                The last: <bdi>{last.text}</bdi> (<Time at={last.at} form="day" />)
                {last.code === 'folder_missing' && '. Say below which of its folders it is.'}
              </Text>
            )}
            <Button size="xs" variant="default" onClick={onRetry}>
              Make them now
            </Button>
          </Stack>
        </Alert>
      )}
    </>
  );
}

const counted = (count: number): string =>
  count === 1 ? 'A change' : `${count.toLocaleString('en')} changes`;

function LastFault(props: {
  sync: MailboxSync;
  fault: NonNullable<MailboxSync['lastError']>;
  onRetry: () => void;
}): ReactElement {
  const { sync, fault } = props;
  const isStuck = sync.state === 'needs_attention' || sync.state === 'stopped';
  return (
    <Alert
      color={isStuck ? 'red' : 'yellow'}
      variant="light"
      icon={<Icon name="warning" />}
      title={faultNames[fault.code] ?? 'The account could not be read'}
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          <bdi>{fault.text}</bdi> (<Time at={fault.at} />)
        </Text>
        {sync.nextTryAt !== null && (
          <Text size="sm">
            It is tried again <Time at={sync.nextTryAt} />.
          </Text>
        )}
        <Button size="xs" variant="default" onClick={props.onRetry}>
          Try again now
        </Button>
      </Stack>
    </Alert>
  );
}

const faultNames: Readonly<Record<string, string>> = {
  wrong_password: 'The server refuses the password',
  consent_expired: 'The provider has ended the consent',
  token_endpoint_down: 'The provider gives no token just now',
  token_endpoint_slow: 'The provider does not answer in time',
  connected_elsewhere: 'Another mailbox reads this account',
  throttled: 'The server limits how often it is asked',
  name_not_found: 'The name of the server is not known',
  target_refused: 'The server may not be connected to',
  tls_failed: 'The connection could not be encrypted',
  unreachable: 'The server cannot be reached',
};
