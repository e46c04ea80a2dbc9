import { Box, Button, Group, Text } from '@mantine/core';
import { useNetwork } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useSyncExternalStore, type ReactElement } from 'react';
import { useConnection, useStreamEvents } from '../stream/stream.js';
import { shortTime } from '../ui/time.js';
import { upgradeState } from './upgrades.js';

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

/** A tab that was not looked at for so long asks for everything anew. */
const staleMs = 10 * 60_000;

/** Brings the page up to date after it heard nothing for a while: the stream was lost, or the computer slept. */
export function useCatchUp(): void {
  const client = useQueryClient();
  const { isOpen } = useConnection();
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    if (isOpen && !wasOpen.current) void client.invalidateQueries();
    wasOpen.current = isOpen;
  }, [isOpen, client]);
  useStreamEvents(({ type }) => {
    if (type === 'reset') void client.invalidateQueries();
  });
  useEffect(() => {
    let hiddenAt = 0;
    const onChange = (): void => {
      if (document.visibilityState === 'hidden') hiddenAt = Date.now();
      else if (hiddenAt > 0 && Date.now() - hiddenAt > staleMs) void client.invalidateQueries();
    };
    document.addEventListener('visibilitychange', onChange);
    return () => document.removeEventListener('visibilitychange', onChange);
  }, [client]);
}

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
