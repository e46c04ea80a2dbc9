import { Box, Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactElement, ReactNode } from 'react';

/** A page of text width with its one heading, what it is for, and its actions. */
export function Page(props: {
  title: string;
  intro?: ReactNode;
  actions?: ReactNode;
  /** The widest that its content may be. */
  width?: number;
  children: ReactNode;
}): ReactElement {
  useDocumentTitle(`${props.title} – Postroom`);
  return (
    <Box px={{ base: 'sm', sm: 'lg' }} py="md" maw={props.width ?? 1080}>
      <Stack gap="lg">
        <Group justify="space-between" align="flex-start">
          <Box>
            <Title order={1} size="h2">
              {props.title}
            </Title>
            {props.intro !== undefined && (
              <Text c="dimmed" size="sm" maw={640}>
                {props.intro}
              </Text>
            )}
          </Box>
          {props.actions !== undefined && <Group gap="xs">{props.actions}</Group>}
        </Group>
        {props.children}
      </Stack>
    </Box>
  );
}
