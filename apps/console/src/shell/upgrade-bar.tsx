import { Box, Button, Group, Text } from '@mantine/core';
import { useSyncExternalStore, type ReactElement } from 'react';
import { upgradeState } from './upgrades.js';

/** Says that the page is older than the server, where it could not be loaded anew by itself. */
export function UpgradeBar(): ReactElement | null {
  const isWaiting = useSyncExternalStore(upgradeState.subscribe, upgradeState.isWaiting);
  if (!isWaiting) return null;
  return (
    <Box px="md" py={6} bg="indigo.1" c="dark.9" role="status">
      <Group justify="space-between" gap="xs">
        <Text size="sm" inherit>
          Postroom was upgraded. Send or copy what you are writing, then load the page anew.
        </Text>
        <Button size="compact-sm" onClick={() => location.reload()}>
          Load anew
        </Button>
      </Group>
    </Box>
  );
}
