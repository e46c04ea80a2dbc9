import type { Provider, Type } from '@nestjs/common';
import type { Resources } from '@postroom/operations';
import type { GatewayConfig } from '../config.js';
import { AccountHandlers } from './account.handlers.js';
import { AgentsHandlers, AnalyticsHandlers, VolumeShares } from './analytics.handlers.js';
import { ApprovalMetrics } from './approvals/approval-metrics.js';
import { ApprovalQueue } from './approvals/approval-queue.js';
import {
  ApprovalPages,
  ApprovalsHandlers,
  FiledApprovalsHandlers,
} from './approvals/approvals.handlers.js';
import { ChangedWrites } from './approvals/changed-writes.js';
import { Closing } from './approvals/closing.js';
import { Decisions } from './approvals/decisions.js';
import { Execution } from './approvals/execution.js';
import { FiledCalls } from './approvals/filed-calls.js';
import { Receipts } from './approvals/receipts.js';
import { AuditChain } from './audit/audit-chain.js';
import { AuditBacklogs, AuditChecks, AuditHandlers } from './audit/audit.handlers.js';
import { Authorizations } from './authentication/authorizations.js';
import { KeyAuthentication } from './authentication/key-authentication.js';
import { LastUse } from './authentication/last-use.js';
import { MemberAuthentication } from './authentication/member-authentication.js';
import { SecondFactors } from './authentication/second-factor.js';
import { SecondFactorHandlers, TotpHandlers } from './authentication/second-factor.handlers.js';
import {
  OidcSessionsHandlers,
  SignInSettingsHandlers,
} from './authentication/sign-in-settings.handlers.js';
import { BrowserChallenges } from './authentication/browser-challenges.js';
import { PasskeySignIn } from './authentication/passkey-sign-in.js';
import { Passkeys } from './authentication/passkeys.js';
import { PasskeysHandlers } from './authentication/passkeys.handlers.js';
import { OpenIdConnect } from './authentication/oidc.js';
import { OAuthClients } from './oauth/clients.js';
import { Consents } from './oauth/consents.js';
import { OAuthTokens } from './oauth/tokens.js';
import { OidcProviders } from './authentication/oidc-provider.js';
import { SignInAttempts } from './authentication/sign-in-attempts.js';
import { WorkspaceDomains } from './authentication/workspace-domains.js';
import {
  AvailabilityHandlers,
  CalendarFeedsHandlers,
  FeedOwners,
} from './calendar-feeds.handlers.js';
import { CoveredEvents, EventsHandlers, ShownEventsHandlers } from './events.handlers.js';
import { InvokeHandlers } from './invocation/invoke.handlers.js';
import { Invoker } from './invocation/invoker.js';
import { References } from './invocation/references.js';
import { ServiceCalls } from './invocation/service-calls.js';
import { ToolAudit } from './invocation/tool-audit.js';
import { MailboxGrants } from './key-rules.js';
import { ConnectionsHandlers, KeysHandlers } from './keys.handlers.js';
import { KeyRefusalsHandlers, MeHandlers } from './me.handlers.js';
import { MemberInvitationsHandlers } from './member-invitations.handlers.js';
import { MembersHandlers } from './members.handlers.js';
import { PasswordResetHandlers } from './password-reset.handlers.js';
import { WorkspaceQuotas } from './quotas.js';
import { PresenceHandlers, Presences } from './presence.handlers.js';
import { SendPermissionsHandlers } from './send-permissions.handlers.js';
import { PeopleHandlers } from './people.handlers.js';
import { PersonsHandlers } from './persons.handlers.js';
import { ReadModelsHandlers } from './read-models.handlers.js';
import { ExportAudit, RefusalAudit, RefusedWrites } from './refusals.js';
import { Advances, SandboxHandlers } from './sandbox/advances.js';
import { Sandboxes, SandboxesHandlers } from './sandbox/sandboxes.handlers.js';
import { SenderContactsHandlers } from './sender-contacts.handlers.js';
import { SessionHandlers, SessionsHandlers } from './session.handlers.js';
import { StreamReader } from './stream-log.js';
import { TeamsHandlers } from './teams.handlers.js';
import { Visibility } from './visibility.js';
import { InvitationsByMailHandlers } from './invitations-by-mail.handlers.js';
import {
  SendSwitchHandlers,
  WorkspaceFactsHandlers,
  WorkspaceHandlers,
} from './workspace.handlers.js';

/** Handlers of the operations of service `access`. */
export const accessHandlers: Type[] = [
  AccountHandlers,
  AgentsHandlers,
  AnalyticsHandlers,
  ApprovalsHandlers,
  AuditHandlers,
  AvailabilityHandlers,
  CalendarFeedsHandlers,
  ConnectionsHandlers,
  EventsHandlers,
  FiledApprovalsHandlers,
  InvitationsByMailHandlers,
  InvokeHandlers,
  KeysHandlers,
  MeHandlers,
  KeyRefusalsHandlers,
  MemberInvitationsHandlers,
  MembersHandlers,
  OidcSessionsHandlers,
  PasskeysHandlers,
  PasswordResetHandlers,
  PeopleHandlers,
  PresenceHandlers,
  SendPermissionsHandlers,
  PersonsHandlers,
  ReadModelsHandlers,
  SandboxHandlers,
  SandboxesHandlers,
  SecondFactorHandlers,
  SenderContactsHandlers,
  SendSwitchHandlers,
  SessionHandlers,
  SessionsHandlers,
  ShownEventsHandlers,
  SignInSettingsHandlers,
  TeamsHandlers,
  TotpHandlers,
  WorkspaceFactsHandlers,
  WorkspaceHandlers,
];

export const accessProviders = ({ config }: Resources<GatewayConfig>): Provider[] => [
  Advances,
  Sandboxes,
  ApprovalMetrics,
  ApprovalPages,
  ApprovalQueue,
  AuditBacklogs,
  AuditChecks,
  Authorizations,
  BrowserChallenges,
  ChangedWrites,
  Closing,
  Consents,
  CoveredEvents,
  Decisions,
  Execution,
  FiledCalls,
  ExportAudit,
  FeedOwners,
  Invoker,
  KeyAuthentication,
  LastUse,
  MailboxGrants,
  MemberAuthentication,
  OAuthClients,
  OAuthTokens,
  OidcProviders,
  OpenIdConnect,
  Passkeys,
  PasskeySignIn,
  Presences,
  Receipts,
  References,
  RefusalAudit,
  RefusedWrites,
  SecondFactors,
  ServiceCalls,
  SignInAttempts,
  StreamReader,
  ToolAudit,
  Visibility,
  VolumeShares,
  WorkspaceQuotas,
  { provide: AuditChain, useValue: new AuditChain(config.auditKey) },
  { provide: WorkspaceDomains, useValue: new WorkspaceDomains(config.workspaceDomains) },
];
