import { Box, Menu, Text, UnstyledButton } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Content } from './content.js';
import type { DraftSession } from './draft-session.js';
import { useSignatures } from './signatures.js';

/** The signature below a message, as its text, and the choice of another. */
export function SignatureLine(props: {
  session: DraftSession;
  content: Content;
  isFrozen: boolean;
}): ReactElement | null {
  const { session, content, isFrozen } = props;
  const signatures = useSignatures(content.mailbox);
  if (signatures.length === 0) return null;
  const chosen = signatures.find(({ id }) => id === content.signatureId);
  return (
    <Box px="sm" py={6}>
      {chosen && (
        <Text size="sm" c="dimmed" lineClamp={4} style={{ whiteSpace: 'pre-wrap' }}>
          {chosen.text}
        </Text>
      )}
      <Menu position="top-start">
        <Menu.Target>
          <UnstyledButton disabled={isFrozen} fz="xs" c="dimmed">
            {chosen ? `Signature: ${chosen.name}` : 'No signature'} ▾
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          {signatures.map(({ id, name }) => (
            <Menu.Item key={id} onClick={() => session.change({ signatureId: id })}>
              {name}
            </Menu.Item>
          ))}
          <Menu.Item onClick={() => session.change({ signatureId: null })}>No signature</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Box>
  );
}
