import { Paper, Text } from '@mantine/core';
import type { ReactElement } from 'react';

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
