import { Anchor, Center } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { EmptyState } from '../ui/states.js';

/** Instead of a page that only administrators see; it may have been taken away while it was open. */
export const NotAllowed = (): ReactElement => (
  <Center mih="60vh">
    <EmptyState
      icon="safety"
      title="This page is for administrators"
      action={
        <Anchor component={Link} to="/inbox">
          To the inbox
        </Anchor>
      }
    >
      You are a member of {useAccount().workspace.name}. Ask one of its administrators to change
      what you need, or to make you one.
    </EmptyState>
  </Center>
);
