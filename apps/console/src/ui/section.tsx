import { Box, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';

/** A part of a page, with its heading, what it is for, and its actions. */
export const Section = (props: {
  title: string;
  about?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}): ReactElement => (
  <Paper component="section" withBorder p="md" aria-label={props.title}>
    <Stack gap="sm">
      <Group justify="space-between" align="flex-start" wrap="wrap">
        <Box flex={1} miw={200}>
          <Title order={2} size="h4">
            {props.title}
          </Title>
          {props.about !== undefined && (
            <Text size="sm" c="dimmed" maw={620} component="div">
              {props.about}
            </Text>
          )}
        </Box>
        {props.actions !== undefined && <Group gap="xs">{props.actions}</Group>}
      </Group>
      {props.children}
    </Stack>
  </Paper>
);
