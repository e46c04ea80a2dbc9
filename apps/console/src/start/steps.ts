import type { ApprovalPage, ConversationPage } from '@postroom/contracts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useAccount } from '../api/account.js';
import { api } from '../api/api.js';
import { keysQuery } from '../keys/keys-query.js';
import { useStreamEvents } from '../stream/stream.js';

/** The first steps that a workspace has taken. */
export function useSteps() {
  const client = useQueryClient();
  const { mailboxes, members, member } = useAccount();
  const mailbox = mailboxes[0]?.address;
  const mail = useQuery({
    queryKey: ['first-steps', 'mail', mailbox],
    queryFn: ({ signal }) =>
      api.get<ConversationPage>('/v1/conversations', { mailbox, limit: 1 }, signal),
    enabled: mailbox !== undefined,
  });
  const decided = useQuery({
    queryKey: ['first-steps', 'decided'],
    queryFn: ({ signal }) =>
      api.get<ApprovalPage>('/approvals', { state: 'executed,rejected,failed', limit: 1 }, signal),
  });
  const keys = useQuery({ ...keysQuery, enabled: member.role === 'admin' });
  useStreamEvents(({ type }) => {
    if (/^(approval|conversation)\./.test(type))
      void client.invalidateQueries({ queryKey: ['first-steps'] });
  });
  const hasDecided = (decided.data?.items.length ?? 0) > 0;
  const isAgent = (keys.data ?? []).some(
    ({ kind, revokedAt }) => kind === 'agent' && revokedAt === null,
  );
  return {
    hasMail: (mail.data?.conversations.length ?? 0) > 0,
    hasTeam: members.length > 1,
    hasAgent: isAgent || hasDecided,
    hasDecided,
  };
}
