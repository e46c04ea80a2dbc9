import { Button, CopyButton as MantineCopyButton } from '@mantine/core';
import type { ReactElement } from 'react';
import { Icon } from './icons.js';

/** Copies a text, and says that it did. */
export const CopyButton = (props: {
  value: string;
  label?: string;
  /** Its name for screen readers, where several stand beside each other. */
  name?: string;
}): ReactElement => (
  <MantineCopyButton value={props.value}>
    {({ copied, copy }) => (
      <Button
        {...{ size: 'xs', variant: 'default', onClick: copy, flex: 'none' }}
        leftSection={<Icon name={copied ? 'check' : 'copy'} size={14} />}
        aria-label={copied ? undefined : props.name}
      >
        {copied ? 'Copied' : (props.label ?? 'Copy')}
      </Button>
    )}
  </MantineCopyButton>
);
