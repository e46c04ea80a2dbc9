import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState, type ReactElement, type ReactNode } from 'react';
import { tellFailure } from './notices.js';

/** Asks once more, in a dialog, before what cannot be undone. */
export function AskDialog(props: {
  title: string;
  /** The consequences. */
  children: ReactNode;
  confirm: string;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}): ReactElement {
  const { title, children, confirm, onConfirm, onClose } = props;
  const [isBusy, setIsBusy] = useState(false);
  const run = async (): Promise<void> => {
    setIsBusy(true);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      tellFailure(error);
      setIsBusy(false);
    }
  };
  return (
    <Modal opened onClose={onClose} title={title}>
      <Stack>
        <Text size="sm">{children}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            Keep
          </Button>
          <Button color="red.9" loading={isBusy} onClick={() => void run()}>
            {confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
