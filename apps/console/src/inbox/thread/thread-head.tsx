import { ActionIcon, Group, Menu, Title, Tooltip } from '@mantine/core';
import type { Conversation } from '@postroom/contracts';
import type { ReactElement } from 'react';
import { Icon, type IconName } from '../../ui/icons.js';
import classes from '../inbox.module.css';
import { useInbox } from '../inbox-state.js';
import { useRow, type Row } from '../list/rows.js';
import type { Change } from '../triage/change.js';

/** Subject and commands of the conversation that is open. */
export function ThreadHead(props: {
  conversation: Conversation | Row | null;
  isWritable: boolean;
  onDetails: () => void;
}): ReactElement {
  const { conversation, isWritable, onDetails } = props;
  const { close } = useInbox();
  return (
    <header className={classes.threadHead}>
      <span className={classes.backButton}>
        <Command icon="back" label="Back to the list" run={close} />
      </span>
      <Title order={2} size="h4" className={classes.threadTitle}>
        <bdi>{conversation?.subject || '(no subject)'}</bdi>
      </Title>
      <Group gap={2} wrap="nowrap" role="toolbar" aria-label="Conversation">
        {conversation && isWritable && <Commands id={conversation.id} />}
        <span className={classes.detailsButton}>
          <Command icon="info" label="Details" run={onDetails} />
        </span>
      </Group>
    </header>
  );
}

function Commands({ id }: { id: string }): ReactElement {
  const { change, pick } = useInbox();
  const placement = useRow(id)?.placement ?? 'inbox';
  const isOut = placement !== 'inbox';
  return (
    <>
      {isOut ? (
        <Command icon="inbox" label="Move to the inbox (E)" run={() => change(to('inbox'))} />
      ) : (
        <Command icon="archive" label="Archive (E)" run={() => change(to('archived'))} />
      )}
      <Command icon="snooze" label="Snooze (H)" run={() => pick('snooze')} />
      <Menu position="bottom-end" width={230} shadow="md">
        <Tooltip label="More">
          <Menu.Target>
            <ActionIcon
              {...{ variant: 'subtle', color: 'gray', c: 'dimmed' }}
              aria-label="More commands"
            >
              <Icon name="more" />
            </ActionIcon>
          </Menu.Target>
        </Tooltip>
        <Menu.Dropdown>
          <MoreItems placement={placement} />
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

const to = (placement: Row['placement']): Change => ({ action: 'move', placement });

function MoreItems({ placement }: { placement: Row['placement'] }): ReactElement {
  const { change, pick } = useInbox();
  const items: readonly [IconName, string, string, () => void][] = [
    ['assign', 'Assign', 'A', () => pick('assign')],
    ['label', 'Label', 'L', () => pick('label')],
    ['check', 'Status', 'S', () => pick('status')],
    ['unread', 'Mark unread', 'U', () => change({ action: 'read', unread: true })],
    placement === 'spam'
      ? ['inbox', 'Not spam', '!', () => change(to('inbox'))]
      : ['spam', 'Move to spam', '!', () => change(to('spam'))],
    ['trash', 'Move to trash', '#', () => change(to('trash'))],
  ];
  return (
    <>
      {items.map(([icon, label, key, run]) => (
        <Menu.Item
          key={label}
          leftSection={<Icon name={icon} size={16} />}
          rightSection={<kbd className={classes.key}>{key}</kbd>}
          onClick={run}
        >
          {label}
        </Menu.Item>
      ))}
    </>
  );
}

const Command = (props: { icon: IconName; label: string; run: () => void }): ReactElement => (
  <Tooltip label={props.label}>
    <ActionIcon
      {...{ variant: 'subtle', color: 'gray', c: 'dimmed', onClick: props.run }}
      aria-label={props.label}
    >
      <Icon name={props.icon} />
    </ActionIcon>
  </Tooltip>
);
