import { Button, Code, Group, Modal, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { CopyButton } from '../ui/copy-button.js';
import { Icon } from '../ui/icons.js';

/** New recovery codes, which are shown once. */
export function ShownOnce(props: { codes: readonly string[]; onClose: () => void }): ReactElement {
  const text = props.codes.join('\n');
  return (
    <Modal
      {...{ opened: props.codes.length > 0, onClose: props.onClose, title: 'Your recovery codes' }}
      {...{ closeOnClickOutside: false, closeOnEscape: false, withCloseButton: false }}
    >
      <Stack>
        <Text size="sm">
          Each signs you in once when you have neither your application nor your passkey at hand.
          They are shown this once: keep them where you find them without this computer.
        </Text>
        <SimpleGrid cols={2} component="ul" p={0} m={0}>
          {props.codes.map((code) => (
            <li key={code} className="bare">
              <Code>{code}</Code>
            </li>
          ))}
        </SimpleGrid>
        <Group>
          <CopyButton value={text} label="Copy all" />
          <Button
            {...{ size: 'xs', variant: 'default', leftSection: <Icon name="download" size={14} /> }}
            onClick={() => download(text)}
          >
            Download
          </Button>
        </Group>
        <Button onClick={props.onClose}>I have kept them</Button>
      </Stack>
    </Modal>
  );
}

function download(text: string): void {
  const url = URL.createObjectURL(new Blob([`${text}\n`], { type: 'text/plain' }));
  Object.assign(document.createElement('a'), {
    href: url,
    download: 'postroom-recovery-codes.txt',
  }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
