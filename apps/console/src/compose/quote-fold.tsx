import { Box, Button, Group, Text } from '@mantine/core';
import { useMemo, useState, type ReactElement } from 'react';
import { textOfQuote } from './quote.js';

/** The quotation below a message: folded, shown as text, and taken away on request. */
export function QuoteFold(props: {
  quote: string;
  isFrozen: boolean;
  onRemove: () => void;
}): ReactElement | null {
  const { quote, isFrozen, onRemove } = props;
  const [isOpen, setIsOpen] = useState(false);
  const text = useMemo(() => (isOpen ? textOfQuote(quote) : ''), [isOpen, quote]);
  if (quote === '') return null;
  return (
    <Box px="sm" py={4}>
      <Group gap={4}>
        <Button
          {...{ size: 'compact-xs', variant: 'default', 'aria-expanded': isOpen }}
          onClick={() => setIsOpen(!isOpen)}
        >
          {isOpen ? 'Hide the quoted message' : 'Quoted message …'}
        </Button>
        {isOpen && !isFrozen && (
          <Button size="compact-xs" variant="subtle" color="gray" onClick={onRemove}>
            Leave it out
          </Button>
        )}
      </Group>
      {isOpen && (
        <Text
          {...{ size: 'sm', c: 'dimmed', mah: 200, mt: 4, tabIndex: 0 }}
          style={{ whiteSpace: 'pre-wrap', overflowY: 'auto' }}
        >
          {text}
        </Text>
      )}
    </Box>
  );
}
