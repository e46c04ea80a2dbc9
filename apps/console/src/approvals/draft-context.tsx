import { Text } from '@mantine/core';
import type { ApprovalRequest, DraftAnswer } from '@postroom/contracts';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api } from '../api/api.js';
import { MarkedText } from '../ui/marked-text.js';
import { mailboxOf } from './request/headline.js';

/** The recipients of a draft that is to be changed: the change itself says only what differs. */
export function DraftContext({ approval }: { approval: ApprovalRequest }): ReactElement | null {
  const mailbox = mailboxOf(approval);
  const id = approval.operation === 'drafts.update' ? approval.target?.id : undefined;
  const { data } = useQuery({
    queryKey: ['draft', id],
    queryFn: ({ signal }) => api.get<DraftAnswer>(`/v1/drafts/${id ?? ''}`, { mailbox }, signal),
    enabled: id !== undefined && mailbox !== null && approval.state === 'pending',
    retry: false,
  });
  if (!data) return null;
  const { to, cc, bcc } = data.draft;
  const recipients = [...to, ...cc, ...bcc].map(({ email }) => email).join(', ');
  return (
    <Text size="sm">
      A draft to {recipients === '' ? 'nobody yet' : <MarkedText text={recipients} />}
    </Text>
  );
}
