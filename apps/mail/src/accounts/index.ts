export { AccountFault, type AccountFaultCode } from './account-fault.js';
export { AccountLogins, type ImapLogin } from './account-logins.js';
export { LoginTries } from './login-tries.js';
export { OAuthProviders } from './oauth-providers.js';
export { OAuthTokens, type MailboxOf } from './oauth-tokens.js';
export { MailSettings } from './find-settings.js';
export { OAuthGrants } from './oauth-grants.js';
export {
  MailboxAccountsHandlers,
  MailboxConsentsHandlers,
  MailSettingsHandlers,
} from './accounts.handlers.js';
