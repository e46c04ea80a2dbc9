import { Box, Group, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import classes from './analytics.module.css';

/** A part of a whole as a bar, with its percentage. */
export function Share({ part, total }: { part: number; total: number }): ReactElement {
  const percent = total === 0 ? 0 : Math.round((part / total) * 100);
  return (
    <Group gap="xs" wrap="nowrap">
      <Box flex={1}>
        <Box className={classes.bar} w={`${percent}%`} />
      </Box>
      <Text size="sm" w={44} ta="right">
        {total === 0 ? '–' : `${percent} %`}
      </Text>
    </Group>
  );
}
