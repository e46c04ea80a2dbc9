import { Box, Text } from '@mantine/core';
import { useNetwork } from '@mantine/hooks';
import type { ReactElement } from 'react';
import { useConnection } from '../stream/stream.js';
import { shortTime } from '../ui/time.js';

/** A line over the page while it hears nothing of changes. */
export function ConnectionBar(): ReactElement | null {
  const { isOpen, lastSeen } = useConnection();
  const { online } = useNetwork();
  if (isOpen && online) return null;
  const since = lastSeen === null ? '' : ` What you see is as of ${shortTime(new Date(lastSeen))}.`;
  return (
    <Box px="md" py={4} bg="yellow.2" c="dark.9" role="status">
      <Text size="sm" inherit>
        {online ? 'The connection to Postroom is lost; trying again.' : 'You are offline.'}
        {since}
      </Text>
    </Box>
  );
}
