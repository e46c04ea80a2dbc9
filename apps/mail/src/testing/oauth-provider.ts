import { randomUUID } from 'node:crypto';
import { mailboxAccounts, type ConsentPage } from '@postroom/contracts';
import type { Caller } from '@postroom/access';
import { freePort } from '@postroom/testing';
import { OAuth2Server } from 'oauth2-mock-server';
import type { MailService } from './mail-service.js';

/** A provider of tokens, and what members do there. */
export class OAuthProvider {
  private constructor(readonly server: OAuth2Server) {}

  static async start(): Promise<OAuthProvider> {
    const server = new OAuth2Server();
    await server.issuer.keys.generate('RS256');
    // Two of one second would be the same.
    server.service.on('beforeTokenSigning', ({ payload }: { payload: Record<string, unknown> }) =>
      Object.assign(payload, { jti: randomUUID() }),
    );
    const port = await freePort();
    await server.start(port, '127.0.0.1');
    server.issuer.url = `http://127.0.0.1:${port}`;
    return new OAuthProvider(server);
  }

  get url(): string {
    return this.server.issuer.url ?? '';
  }

  /** The settings of a service that knows it. */
  get env(): Record<string, string> {
    return {
      PUBLIC_URL: 'https://postroom.test',
      OAUTH_ISSUER: this.url,
      OAUTH_CLIENT_ID: 'postroom',
      OAUTH_CLIENT_SECRET: 'a secret of the client',
      OAUTH_SCOPES: 'mail',
    };
  }

  close(): Promise<unknown> {
    return this.server.stop();
  }

  /** Has the token endpoint answer something else next. */
  nextAnswer(statusCode: number, body: Record<string, unknown>): void {
    this.server.service.once('beforeResponse', (answer: { statusCode: number; body: object }) =>
      Object.assign(answer, { statusCode, body }),
    );
  }
}

/** Consents for a mailbox at a provider. @returns the address that it leads back to */
export async function consent(service: MailService, id: string, caller: Caller): Promise<URL> {
  const input = { id, provider: 'other' };
  const { body } = await service.call<ConsentPage>(mailboxAccounts.authorize, input, { caller });
  const { headers } = await fetch(body.url, { redirect: 'manual' });
  return new URL(headers.get('location') ?? '');
}

/** Lets the access token of a mailbox end soon. */
export const endsIn = (service: MailService, id: string, ms: number): Promise<unknown> =>
  service.admin.query(
    `UPDATE mailbox_accounts SET tokens = jsonb_set(tokens, '{until}', to_jsonb($2::text)) WHERE mailbox_id = $1`,
    [id, new Date(Date.now() + ms).toISOString()],
  );
