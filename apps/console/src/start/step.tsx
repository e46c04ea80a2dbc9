import { Paper, Title } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';

/** A numbered part of the way. */
export const Step = (props: {
  number: number;
  title: string;
  children: ReactNode;
}): ReactElement => (
  <Paper withBorder p="md" component="section" aria-label={props.title}>
    <Title order={2} size="h5" mb="sm">
      {props.number}. {props.title}
    </Title>
    {props.children}
  </Paper>
);
