import { Box, Group, Paper, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import classes from './analytics.module.css';

export const Figure = (props: { label: string; value: number | string }): ReactElement => (
  <Paper withBorder px="md" py="sm">
    <Text size="xs" c="dimmed">
      {props.label}
    </Text>
    <Text fz={24} fw={600} lh={1.2}>
      {typeof props.value === 'number' ? props.value.toLocaleString('en') : props.value}
    </Text>
  </Paper>
);

/** A part of a whole as a bar, with its percentage. */
export function Share({ part, total }: { part: number; total: number }): ReactElement {
  const percent = total === 0 ? 0 : Math.round((part / total) * 100);
  return (
    <Group gap="xs" wrap="nowrap">
      <Box flex={1}>
        <Box className={classes.bar} w={`${percent}%`} />
      </Box>
      <Text size="sm" w={52} ta="right">
        {total === 0 ? '–' : `${percent}\u00a0%`}
      </Text>
    </Group>
  );
}
