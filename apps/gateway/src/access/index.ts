export { approvalGauges } from './approvals/approval-metrics.js';
export { Closing } from './approvals/closing.js';
export { Execution } from './approvals/execution.js';
export { Receipts } from './approvals/receipts.js';
export { startSweep } from './approvals/sweep.js';
export { AuditChain } from './audit/audit-chain.js';
export { auditKeyFaults, requireAuditKeys } from './audit/audit-keys.js';
export { startSealing } from './audit/sealing.js';
export type { Authorization, Recognised, Refused } from './authentication/authorizations.js';
export { KeyAuthentication } from './authentication/key-authentication.js';
export { LastUse } from './authentication/last-use.js';
export {
  MemberAuthentication,
  requireStanding,
  type SessionAuthorization,
} from './authentication/member-authentication.js';
export { OidcRefused, OpenIdConnect, type OidcFault } from './authentication/oidc.js';
export { BrowserChallenges } from './authentication/browser-challenges.js';
export { PasskeySignIn } from './authentication/passkey-sign-in.js';
export { Passkeys } from './authentication/passkeys.js';
export { SignInAttempts } from './authentication/sign-in-attempts.js';
export { feedAddressOf, FeedOwners, feedsPath } from './calendar-feeds.handlers.js';
export { connectAccess, entities } from './entities.js';
export { ignoredHeader } from './invocation/ignored-names.js';
export { decodedInput, invalidInput, Invoker } from './invocation/invoker.js';
export { ServiceCalls } from './invocation/service-calls.js';
export { invitationUrl } from './invitations.js';
export { OAuthClients } from './oauth/clients.js';
export { OAuthRefused, parametersOf, type Parameters } from './oauth/refusal.js';
export { Consents, type Choice, type ConsentRequest } from './oauth/consents.js';
export { formTarget } from './oauth/redirects.js';
export { OAuthTokens, type Presented } from './oauth/tokens.js';
export { startNotices } from './notices/notice-sending.js';
export { maintenanceJobs } from './maintenance-jobs.js';
export {
  administratorOf,
  openWorkspace,
  sandboxLabel,
  workspaceId,
  type NewWorkspace,
} from './open-workspace.js';
export { accessHandlers, accessProviders } from './providers.js';
export { quotasOf } from './quotas.js';
export { receiveChanges } from './receive-changes.js';
export { ExportAudit, RefusalAudit, RefusedWrites, type RefusedActor } from './refusals.js';
export { RequestCounts } from './request-counts.js';
export { Advances } from './sandbox/advances.js';
export { StreamReader, type StreamEvent, type ToldPresence } from './stream-log.js';
