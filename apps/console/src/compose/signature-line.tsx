import { Box, Menu, Text, UnstyledButton } from '@mantine/core';
import type { SignatureList } from '@postroom/contracts';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api } from '../api/api.js';
import type { Content } from './content.js';
import type { DraftSession } from './draft-session.js';

type Signature = SignatureList['signatures'][number];

export const signaturesQuery = queryOptions({
  queryKey: ['signatures', 'usable'],
  queryFn: ({ signal }) => api.get<SignatureList>('/v1/signatures', undefined, signal),
  select: ({ signatures }) => signatures,
  staleTime: 300_000,
});

const none: readonly Signature[] = [];

/** The signatures that may stand below mail of a mailbox. */
const useSignatures = (mailbox: string): readonly Signature[] =>
  (useQuery(signaturesQuery).data ?? none).filter(
    (one) => one.mailbox === null || one.mailbox === mailbox,
  );

/** The signature that mail of a mailbox begins with: its own default before that of any. */
export function useDefaultSignature(): (mailbox: string) => string | null {
  const all = useQuery(signaturesQuery).data ?? none;
  return (mailbox) => {
    const defaults = all.filter(({ isDefault }) => isDefault);
    const own = defaults.find((one) => one.mailbox === mailbox);
    return (own ?? defaults.find((one) => one.mailbox === null))?.id ?? null;
  };
}

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
