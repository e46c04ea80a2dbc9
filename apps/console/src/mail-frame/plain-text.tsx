import { Anchor, Button, Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';

/** Characters that are shown at once. */
const shownMax = 50_000;

/** Plain text as it was written, its addresses made links. */
export function PlainText({ text }: { text: string }): ReactElement {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? text : text.slice(0, shownMax);
  return (
    <>
      <Text component="div" size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {shown.split(/(https?:\/\/[^\s<>"']+)/).map((part, i) =>
          i % 2 === 0 ? (
            part
          ) : (
            <Anchor
              key={i}
              {...{ href: part, target: '_blank', inherit: true }}
              rel="noopener noreferrer"
            >
              {part}
            </Anchor>
          ),
        )}
      </Text>
      {shown.length < text.length && (
        <Button size="compact-xs" variant="default" mt="xs" onClick={() => setIsWhole(true)}>
          Show the rest
        </Button>
      )}
    </>
  );
}
