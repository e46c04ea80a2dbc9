import { Box, Group, Paper, Stack, Text, Title } from '@mantine/core';
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
          <Box flex={1} miw={240}>
            <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
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

/** The part that the address names may come after the page. */
const intoView = (part: HTMLElement | null): void => {
  if (part && part.id !== '' && location.hash === `#${part.id}`) part.scrollIntoView();
};

/** A part of a page, with its heading, what it is for, and its actions. */
export const Section = (props: {
  title: string;
  /** The fragment of an address that leads to it. */
  id?: string;
  about?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}): ReactElement => (
  <Paper
    {...{ component: 'section', withBorder: true, p: 'md', 'aria-label': props.title }}
    {...{ id: props.id, ref: intoView }}
  >
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
