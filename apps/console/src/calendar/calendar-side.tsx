import type { Calendar } from '@postroom/contracts';
import { Button, Checkbox, Group, Menu, Stack, Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { urlOf } from '../api/api.js';
import { Icon } from '../ui/icons.js';
import { MoreMenu } from '../ui/more-menu.js';
import { CalendarDialogs, type CalendarDialog } from './calendar-dialogs.js';
import { colourOf } from './calendars.js';

/** The calendars that the member may see, shown or hidden, and what can be done with each. */
export function CalendarSide(props: {
  calendars: readonly Calendar[];
  hidden: readonly string[];
  onToggle: (id: string) => void;
}): ReactElement {
  const { calendars, hidden, onToggle } = props;
  const [dialog, setDialog] = useState<CalendarDialog | null>(null);
  return (
    <aside className="calendar-side" aria-label="Calendars">
      <Text size="xs" c="dimmed" pb={6}>
        Calendars
      </Text>
      <Stack gap={4} mb="sm">
        {calendars.map((calendar, place) => (
          <Group key={calendar.id} gap={6} wrap="nowrap">
            <Checkbox
              {...{ size: 'sm', flex: 1, checked: !hidden.includes(calendar.id) }}
              {...{ color: colourOf(calendar, place), styles: { labelWrapper: { minWidth: 0 } } }}
              label={<bdi>{calendar.name}</bdi>}
              onChange={() => onToggle(calendar.id)}
            />
            <CalendarMenu {...{ calendar, onChoose: setDialog }} />
          </Group>
        ))}
      </Stack>
      <Button
        {...{ size: 'compact-sm', variant: 'subtle' }}
        leftSection={<Icon name="plus" size={14} />}
        onClick={() => setDialog({ kind: 'new' })}
      >
        Add a calendar
      </Button>
      <Menu position="bottom-start">
        <Menu.Target>
          <Button
            {...{ size: 'compact-sm', variant: 'subtle' }}
            leftSection={<Icon name="upload" size={14} />}
          >
            Import events
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>Into</Menu.Label>
          {calendars.map((calendar) => (
            <Menu.Item key={calendar.id} onClick={() => setDialog({ kind: 'import', calendar })}>
              <bdi>{calendar.name}</bdi>
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {dialog && <CalendarDialogs dialog={dialog} onClose={() => setDialog(null)} />}
    </aside>
  );
}

const CalendarMenu = (props: {
  calendar: Calendar;
  onChoose: (dialog: CalendarDialog) => void;
}): ReactElement => {
  const { calendar, onChoose } = props;
  return (
    <MoreMenu label={`More for ${calendar.name}`}>
      <Menu.Item onClick={() => onChoose({ kind: 'edit', calendar })}>Name and colour</Menu.Item>
      <Menu.Item onClick={() => onChoose({ kind: 'import', calendar })}>Import</Menu.Item>
      <Menu.Item component="a" href={urlOf(`/calendars/${calendar.id}/export`)} download>
        Export
      </Menu.Item>
      <Menu.Item onClick={() => onChoose({ kind: 'feed', calendar })}>Secret address</Menu.Item>
      <Menu.Item color="red" onClick={() => onChoose({ kind: 'remove', calendar })}>
        Delete
      </Menu.Item>
    </MoreMenu>
  );
};
