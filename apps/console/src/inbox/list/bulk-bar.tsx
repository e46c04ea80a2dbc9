import { ActionIcon, Button, Group, Text, Tooltip } from '@mantine/core';
import type { ReactElement } from 'react';
import { Icon, type IconName } from '../../ui/icons.js';
import classes from '../inbox.module.css';
import { useInbox } from '../inbox-state.js';
import { selectedMax } from '../triage/use-triage.js';

/** Commands for the selected conversations together. */
export function BulkBar(): ReactElement | null {
  const { selection, change, pick, query } = useInbox();
  const count = selection.ids.size;
  if (count === 0) return null;
  const isInInbox = !['archived', 'spam', 'trash'].includes(query.view);
  return (
    <Group
      className={classes.bulk}
      gap={2}
      role="toolbar"
      aria-label="Selected conversations"
      wrap="nowrap"
    >
      <Text size="sm" fw={600} flex={1} role="status">
        {count === selectedMax ? `${count}, the most at once` : `${count} selected`}
      </Text>
      {isInInbox ? (
        <Act
          icon="archive"
          label="Archive"
          run={() => change({ action: 'move', placement: 'archived' })}
        />
      ) : (
        <Act
          icon="inbox"
          label="Move to the inbox"
          run={() => change({ action: 'move', placement: 'inbox' })}
        />
      )}
      <Act icon="assign" label="Assign" run={() => pick('assign')} />
      <Act icon="label" label="Label" run={() => pick('label')} />
      <Act icon="snooze" label="Snooze" run={() => pick('snooze')} />
      <Act icon="unread" label="Mark unread" run={() => change({ action: 'read', unread: true })} />
      <Act
        icon="trash"
        label="Move to trash"
        run={() => change({ action: 'move', placement: 'trash' })}
      />
      <Button size="compact-xs" variant="subtle" onClick={selection.clear}>
        Clear
      </Button>
    </Group>
  );
}

const Act = (props: { icon: IconName; label: string; run: () => void }): ReactElement => (
  <Tooltip label={props.label}>
    <ActionIcon
      variant="subtle"
      color="gray"
      c="inherit"
      aria-label={props.label}
      onClick={props.run}
    >
      <Icon name={props.icon} size={16} />
    </ActionIcon>
  </Tooltip>
);
