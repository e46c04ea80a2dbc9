import { Box, Group, Text } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import classes from './row.module.css';

/** A line of a list: what it is, a sentence about it, and what can be done with it. */
export const Row = (props: {
  title: ReactNode;
  about?: ReactNode;
  start?: ReactNode;
  children?: ReactNode;
}): ReactElement => (
  <Box component="li" className={classes.row}>
    <Group gap="sm" wrap="nowrap" flex="1 1 220px" miw={0}>
      {props.start}
      <Box miw={0} flex={1}>
        <Text size="sm" fw={500} component="div" className={classes.text}>
          {props.title}
        </Text>
        {props.about !== undefined && (
          <Text size="xs" c="dimmed" component="div" className={classes.text}>
            {props.about}
          </Text>
        )}
      </Box>
    </Group>
    {props.children !== undefined && (
      <Group gap="xs" wrap="wrap">
        {props.children}
      </Group>
    )}
  </Box>
);

export const Rows = (props: { label: string; children: ReactNode }): ReactElement => (
  <ul className={classes.rows} aria-label={props.label}>
    {props.children}
  </ul>
);
