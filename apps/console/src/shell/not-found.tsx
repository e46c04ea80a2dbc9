import { Anchor, Center } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { EmptyState } from '../ui/states.js';

export const NotFound = (): ReactElement => (
  <Center mih="60vh">
    <EmptyState
      icon="search"
      title="There is no such page"
      action={
        <Anchor component={Link} to="/">
          To the first page
        </Anchor>
      }
    >
      The address may be incomplete, or what it named is gone.
    </EmptyState>
  </Center>
);
