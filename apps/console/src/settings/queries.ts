import type {
  DlpRuleList,
  DomainList,
  FoundMailSettings,
  ImportList,
  MailboxList,
  MailboxSyncAnswer,
  MemberInvitationList,
  MemberList,
  SendSwitch,
  SignaturePage,
  SignInSettingsView,
  TeamList,
  UnknownSendList,
  WorkspaceAnswer,
} from '@postroom/contracts';
import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/api.js';

const listOf = <T>(name: string, path: string) =>
  queryOptions({
    queryKey: ['settings', name],
    queryFn: ({ signal }) => api.get<T>(path, undefined, signal),
  });

export const membersQuery = listOf<MemberList>('members', '/members');
export const invitationsQuery = listOf<MemberInvitationList>('invitations', '/invitations');
export const teamsQuery = listOf<TeamList>('teams', '/teams');
export const mailboxesQuery = listOf<MailboxList>('mailboxes', '/mailboxes');
export const domainsQuery = listOf<DomainList>('domains', '/domains');
export const signaturesQuery = listOf<SignaturePage>('signatures', '/signatures');
export const dlpRulesQuery = listOf<DlpRuleList>('dlp-rules', '/dlp-rules');
export const sendSwitchQuery = listOf<SendSwitch>('send-switch', '/send-switch');
export const unknownSendsQuery = listOf<UnknownSendList>('unknown-sends', '/sends?state=unknown');
export const signInQuery = listOf<SignInSettingsView>('sign-in', '/sign-in');
export const workspaceQuery = listOf<WorkspaceAnswer>('workspace', '/workspace');

export const importsQuery = (mailboxId: string) =>
  listOf<ImportList>(`imports ${mailboxId}`, `/mailboxes/${mailboxId}/imports`);

export const syncQuery = (mailboxId: string) =>
  listOf<MailboxSyncAnswer>(`sync ${mailboxId}`, `/mailboxes/${mailboxId}/sync`);

export const mailSettingsQuery = (address: string) =>
  listOf<FoundMailSettings>(
    `mail-settings ${address}`,
    `/mail-settings?address=${encodeURIComponent(address)}`,
  );
