import { Badge, Text } from '@mantine/core';
import type { ApprovalRequest, Draft, DraftAnswer } from '@postroom/contracts';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { api } from '../api/api.js';
import { countHidden, MarkedText } from '../ui/marked-text.js';
import { labelOf, shownRequest } from './request/fields.js';
import { isTimed, mailboxOf } from './request/headline.js';
import { plainValue } from './request/plain-value.js';
import { readableMail } from './request/readable-mail.js';

const told = new Set(['to', 'cc', 'bcc', 'subject', 'body', 'comment', 'attachments']);
const lists = new Set(['to', 'cc', 'bcc', 'attachments']);
const linesMax = 5;
const charactersMax = 200;

/** The first line of a text, or the first items of a list; it says where there are more. */
function beginningOf(name: string, text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const shown = lines.slice(0, lists.has(name) ? linesMax : 1);
  const more = lists.has(name) && lines.length > shown.length;
  const line = shown.join(', ').slice(0, charactersMax);
  const isCut = shown.join(', ').length > charactersMax || (lines.length > shown.length && !more);
  return `${line}${isCut ? ' …' : ''}${more ? ` and ${lines.length - linesMax} more` : ''}`;
}

/** One of several requests in short: its recipients, the first line of its text, its files, and a mark where something is hidden. */
export function SeveralEffect({ approval }: { approval: ApprovalRequest }): ReactElement {
  const account = useAccount();
  const { payload, difference } = approval;
  const lines = shownRequest(approval).main.flatMap(({ name, after }) => {
    const text = told.has(name) ? plainValue(name, after, account) : null;
    return text === null ? [] : [{ name, text: name === 'body' ? readableMail(text) : text }];
  });
  return (
    <>
      <DraftContext approval={approval} />
      {isTimed(approval) && (
        <Text size="xs">
          <MarkedText text={approval.summary} />
        </Text>
      )}
      {lines.map(({ name, text }) => (
        <Text key={name} size="xs" style={{ overflowWrap: 'anywhere' }}>
          {labelOf(name)}: <MarkedText text={beginningOf(name, text)} />
        </Text>
      ))}
      {countHidden([payload, difference?.after ?? null]) > 0 && (
        <Badge {...{ size: 'sm', color: 'red.9', tt: 'none' }}>Hidden characters</Badge>
      )}
    </>
  );
}

/** The draft that is to be changed. */
export function useDraftOf(approval: ApprovalRequest | undefined): Draft | undefined {
  const mailbox = approval ? mailboxOf(approval) : null;
  const id = approval?.operation === 'drafts.update' ? approval.target?.id : undefined;
  const { data } = useQuery({
    queryKey: ['draft', id],
    queryFn: ({ signal }) => api.get<DraftAnswer>(`/v1/drafts/${id ?? ''}`, { mailbox }, signal),
    enabled: id !== undefined && mailbox !== null && approval?.state === 'pending',
    retry: false,
  });
  return data?.draft;
}

/** The recipients of a draft that is to be changed: the change itself says only what differs. */
export function DraftContext({ approval }: { approval: ApprovalRequest }): ReactElement | null {
  const draft = useDraftOf(approval);
  if (!draft) return null;
  const { to, cc, bcc } = draft;
  const recipients = [...to, ...cc, ...bcc].map(({ email }) => email).join(', ');
  return (
    <Text size="sm">
      A draft to {recipients === '' ? 'nobody yet' : <MarkedText text={recipients} />}
    </Text>
  );
}
