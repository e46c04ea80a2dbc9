import SMTPConnection from 'nodemailer/lib/smtp-connection';
import XOAuth2 from 'nodemailer/lib/xoauth2';

/** A secret for one login: a password, or an access token (RFC 6749). */
export type LoginSecret = { readonly password: string } | { readonly accessToken: string };

/** The login of a mailbox at its server. */
export interface OutgoingLogin {
  readonly user: string;
  /**
   * The secret of the next login.
   * @param refusedToken an access token that the server has just refused
   * @throws Error if the login is not to be tried now
   */
  readonly secret: (refusedToken: string | null) => Promise<LoginSecret>;
  /** Counts that the server has refused it as wrong. */
  readonly refused: (secret: LoginSecret) => Promise<void>;
}

/** The server of a mailbox as it is stored, its password opened. */
export interface OutgoingAccount {
  readonly tenantId: string;
  readonly mailboxId: string;
  readonly host: string;
  readonly user: string;
  /** Null where its provider gives tokens. */
  readonly password: string | null;
}

/** Gives the logins of mailboxes at the servers that they send through. */
export abstract class OutgoingLogins {
  abstract outgoing(account: OutgoingAccount): OutgoingLogin;
}

/** RFC 4954 §6: authentication failed, is too weak, or needs something else. */
const refusals = new Set([530, 534, 535]);

type Done = (error?: Error | null) => void;
/** Runs one command until it is answered, or the time is up. */
type Step = (command: (done: Done) => void) => Promise<void>;

/** Logs a connection in; a refused access token is refreshed once. */
export async function logIn(
  connection: SMTPConnection,
  login: OutgoingLogin,
  step: Step,
): Promise<void> {
  const secret = await login.secret(null);
  try {
    await step((done) => connection.login(authOf(login, secret), done));
  } catch (error) {
    const code = error instanceof Error && 'responseCode' in error ? error.responseCode : null;
    if (refusals.has(Number(code))) await login.refused(secret);
    throw error;
  }
}

function authOf(
  { user, secret }: OutgoingLogin,
  given: LoginSecret,
): Parameters<SMTPConnection['login']>[0] {
  if ('password' in given) return { credentials: { user, pass: given.password } };
  const tokens = new XOAuth2({
    user,
    provisionCallback: (_user, isRefused, done) => {
      const token = isRefused ? secret(given.accessToken) : Promise.resolve(given);
      token.then(
        (one) => done(null, 'accessToken' in one ? one.accessToken : ''),
        (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
      );
    },
  });
  return { oauth2: tokens };
}
