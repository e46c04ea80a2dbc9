import { Button, Group, Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { MarkedText } from '../../ui/marked-text.js';
import style from './request.module.css';

/** Characters that are shown at first, and that each press of the button adds at the least. */
const stepOf = (length: number): number => Math.max(4_000, Math.ceil(length / 4));
const firstMax = 4_000;

/** A text with its hidden characters marked; a long one begins with its first part. */
export function LongText({ text }: { text: string }): ReactElement {
  const [shown, setShown] = useState(firstMax);
  const isCut = text.length > shown;
  return (
    <>
      <div className={style.text}>
        <MarkedText text={isCut ? text.slice(0, shown) : text} />
        {isCut && '…'}
      </div>
      {isCut && (
        <Group gap="xs" mt="xs">
          <Button size="compact-xs" variant="light" onClick={() => setShown(text.length)}>
            Show all
          </Button>
          <Button
            {...{ size: 'compact-xs', variant: 'subtle' }}
            onClick={() => setShown(shown + stepOf(text.length))}
          >
            Show more
          </Button>
          <Text size="xs" c="dimmed">
            {shown.toLocaleString('en')} of {text.length.toLocaleString('en')} characters
          </Text>
        </Group>
      )}
    </>
  );
}
