import { ActionIcon, Button, Group, SegmentedControl, Text, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import { Icon } from '../ui/icons.js';
import { calendarViews, type CalendarView } from './search-params.js';

const labels: Readonly<Record<CalendarView, string>> = {
  ...{ month: 'Month', week: 'Week', day: 'Day', agenda: 'Agenda' },
};

/** The period that is shown, the way to others, and how it is shown. */
export const CalendarToolbar = (props: {
  title: string;
  view: CalendarView;
  zones: readonly string[];
  zone: string;
  onZone: (zone: string) => void;
  onStep: (by: -1 | 0 | 1) => void;
  onView: (view: CalendarView) => void;
  onNew: () => void;
}): ReactElement => (
  <Group justify="space-between" gap="sm">
    <Group gap="xs">
      <Title order={1} size="h3">
        <span className="visually-hidden">Calendar</span>
        <Text span inherit aria-live="polite">
          {props.title}
        </Text>
      </Title>
    </Group>
    <Group gap="xs">
      {props.zones.length > 1 && (
        <SegmentedControl
          {...{ size: 'xs', 'aria-label': 'Time zone of the clocks', value: props.zone }}
          data={props.zones.map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))}
          onChange={props.onZone}
        />
      )}
      <SegmentedControl
        {...{ size: 'xs', 'aria-label': 'View', value: props.view }}
        data={calendarViews.map((value) => ({ value, label: labels[value] }))}
        onChange={(value) => props.onView(value)}
      />
      <Group gap={4}>
        <ActionIcon variant="default" aria-label="Before" onClick={() => props.onStep(-1)}>
          <Icon name="back" size={16} />
        </ActionIcon>
        <Button size="compact-sm" variant="default" onClick={() => props.onStep(0)}>
          Today
        </Button>
        <ActionIcon variant="default" aria-label="After" onClick={() => props.onStep(1)}>
          <Icon name="next" size={16} />
        </ActionIcon>
      </Group>
      <Button size="xs" leftSection={<Icon name="plus" size={14} />} onClick={props.onNew}>
        New event
      </Button>
    </Group>
  </Group>
);
