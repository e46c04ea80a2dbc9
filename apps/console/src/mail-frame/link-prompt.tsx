import { Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';

/** A link of a message: its text, and where it leads. */
export interface Link {
  readonly text: string;
  readonly target: string;
}

/** Asks before a link is followed that says something else than where it leads. */
export const LinkPrompt = (props: { link: Link | null; onClose: () => void }): ReactElement => (
  <Modal opened={props.link !== null} onClose={props.onClose} title="Where this link leads">
    {props.link && (
      <Stack>
        <Text size="sm">
          Links of this message are misleading. The link{' '}
          <b>
            <bdi>{props.link.text.trim().slice(0, 200) || '(an image)'}</bdi>
          </b>{' '}
          leads to
        </Text>
        <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          {props.link.target}
        </Code>
        <Group justify="flex-end">
          <Button variant="default" onClick={props.onClose} data-autofocus>
            Stay here
          </Button>
          <Button
            {...{ component: 'a', color: 'red', href: props.link.target, target: '_blank' }}
            {...{ rel: 'noopener noreferrer', onClick: props.onClose }}
          >
            Open it all the same
          </Button>
        </Group>
      </Stack>
    )}
  </Modal>
);
