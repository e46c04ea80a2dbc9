export { AccountFault, type AccountFaultCode } from './account-fault.js';
export { AccountLogins, type ImapLogin } from './account-logins.js';
export { LoginTries } from './login-tries.js';
export { OAuthProviders } from './oauth-providers.js';
export { OAuthTokens, type MailboxOf } from './oauth-tokens.js';
