import { Alert, Button, Group, Stack } from '@mantine/core';
import type { ReactElement } from 'react';
import { Copied } from '../keys/secret-once.js';
import { Icon } from '../ui/icons.js';

/** A subscription's secret, shown this once. */
export const WebhookSecret = (props: { secret: string; onDone: () => void }): ReactElement => (
  <Stack>
    <Alert color="yellow" variant="light" icon={<Icon name="key" />} title="Copy the secret now">
      Your service verifies the signature of each request with it (Standard Webhooks). It is shown
      this once.
    </Alert>
    <Copied label="Secret" value={props.secret} />
    <Group justify="flex-end">
      <Button onClick={props.onDone}>I have copied it</Button>
    </Group>
  </Stack>
);
