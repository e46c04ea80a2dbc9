import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { CopyButton } from '../../ui/copy-button.js';

/** A link that is shown this once, to be handed on. */
export const OneTimeLink = (props: {
  url: string;
  about: ReactNode;
  onClose: () => void;
}): ReactElement => (
  <Stack>
    <Text size="sm" component="div">
      {props.about}
    </Text>
    <TextInput
      {...{ label: 'Link', value: props.url, readOnly: true, 'data-autofocus': true }}
      onFocus={({ currentTarget }) => currentTarget.select()}
    />
    <Group justify="space-between">
      <CopyButton value={props.url} label="Copy the link" />
      <Button size="xs" onClick={props.onClose}>
        Done
      </Button>
    </Group>
  </Stack>
);
