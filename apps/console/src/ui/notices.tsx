import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { messageOf } from '../api/problem.js';

/** Time to undo what was done, in milliseconds. */
export const undoMs = 10_000;

/** Says that something was done. */
export const tellDone = (message: string): void => {
  notifications.show({ message, color: 'teal', autoClose: 4_000 });
};

/** Says why something was not done, and offers to try it again. */
export function tellFailure(error: unknown, retry?: () => void): void {
  const id = notifications.show({
    ...{ color: 'red', autoClose: retry ? false : 8_000, title: 'That did not work' },
    message: retry ? (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm">{messageOf(error)}</Text>
        <Button
          {...{ size: 'compact-xs', variant: 'light', flex: 'none' }}
          onClick={() => {
            notifications.hide(id);
            retry();
          }}
        >
          Try again
        </Button>
      </Group>
    ) : (
      messageOf(error)
    ),
  });
}

/** The latest thing that can be undone, for the key `z`. */
let latest: { readonly id: string; readonly undo: () => void } | null = null;

/** Says what was done and offers to undo it for ten seconds; `z` undoes the latest. */
export function offerUndo(message: string, undo: () => void): void {
  const id = `undo-${crypto.randomUUID()}`;
  const once = (): void => {
    notifications.hide(id);
    if (latest?.id === id) latest = null;
    undo();
  };
  latest = { id, undo: once };
  notifications.show({
    ...{ id, autoClose: undoMs, withCloseButton: false },
    onClose: () => {
      if (latest?.id === id) latest = null;
    },
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm">{message}</Text>
        <Button {...{ size: 'compact-xs', variant: 'light', flex: 'none' }} onClick={once}>
          Undo (Z)
        </Button>
      </Group>
    ),
  });
}

/** @returns false where there is nothing to undo */
export function undoLatest(): boolean {
  if (!latest) return false;
  latest.undo();
  return true;
}
