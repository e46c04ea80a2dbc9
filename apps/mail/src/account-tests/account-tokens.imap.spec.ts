import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { accountTests, mailboxConsents, type AccountTest } from '@postroom/contracts';
import { anAdmin } from '@postroom/service-testing';
import { Dovecot, dovecot, whereThere } from '@postroom/testing';
import { eventually } from '@postroom/testing/until';
import { MailService, type MailboxOf } from '../testing/mail-service.js';
import { rawMessage, storedMessages } from '../testing/mailbox-accounts.js';
import { consent, endsIn, OAuthProvider } from '../testing/oauth-provider.js';

whereThere(dovecot, describe)('an account with tokens at Dovecot', () => {
  let provider: OAuthProvider;
  let server: Dovecot;
  let service: MailService;
  const caller = { ...anAdmin(), sessionId: 'ses_1' };
  const { tenantId } = caller;
  /** The owner of the tokens, and the number of logins that are still refused. */
  let user: string;
  let refused: number;
  let mailbox: MailboxOf;

  beforeAll(async () => {
    provider = await OAuthProvider.start();
    provider.server.service.on('beforeIntrospect', (answer: { body: object }) => {
      refused -= 1;
      answer.body = { active: refused < 0, username: user };
    });
    server = await Dovecot.start(`${provider.url}/introspect`);
    service = await MailService.start({
      ...provider.env,
      OAUTH_IMAP_URL: `imap://127.0.0.1:${server.port}`,
      OAUTH_SMTP_URL: 'smtp://127.0.0.1:9',
    });
  });
  afterAll(async () => {
    await service.close();
    await server.close();
    await provider.close();
  });
  beforeEach(async () => {
    await service.rows('DELETE FROM mailbox_accounts');
    mailbox = await service.mailbox({ tenantId });
    [user, refused] = [mailbox.address, 0];
    const query = (await consent(service, mailbox.id, caller)).search.slice(1);
    await service.call(mailboxConsents.end, { query }, { caller });
    await read('one');
  });

  /** Delivers a message, and waits until it is here. */
  async function read(subject: string): Promise<void> {
    await server.deliver(user, rawMessage({ subject }));
    const found = await eventually(
      async () => {
        await service.rows(`UPDATE mailbox_syncs SET next_try_at = now() WHERE state = 'waiting'`);
        return storedMessages(service, mailbox);
      },
      (all) => all.some((one) => one.subject === subject),
    );
    expect(found.map((one) => one.subject)).toContain(subject);
  }

  const steps = async (): Promise<string[]> => {
    const { id } = mailbox;
    const { body } = await service.call<AccountTest>(accountTests.run, { id }, { caller });
    const ofImap = body.steps.filter((one) => one.server === 'imap');
    return ofImap.map(({ step, outcome, code }) => [step, outcome, code ?? ''].join(' ').trim());
  };
  const isOk = ['connect ok', 'tls ok', 'login ok', 'inbox ok'];
  const fails = (code: string, tls = 'skipped'): string[] => [
    ...['connect ok', `tls ${tls}`, `login failed ${code}`, 'inbox skipped'],
  ];

  it.each<[string, () => unknown, readonly string[]]>([
    ['that lasts', () => undefined, isOk],
    ['that has ended', () => endsIn(service, mailbox.id, -1), isOk],
    [
      'while the provider gives none',
      async () => {
        await endsIn(service, mailbox.id, -1);
        provider.nextAnswer(503, { error: 'temporarily_unavailable' });
      },
      fails('token_endpoint_down'),
    ],
    [
      'whose consent has ended',
      async () => {
        await endsIn(service, mailbox.id, -1);
        provider.nextAnswer(400, { error: 'invalid_grant' });
      },
      fails('consent_expired'),
    ],
    ['that the server refuses', () => (refused = 10), fails('consent_expired', 'ok')],
  ])('is tested with a token %s', async (_what, prepare, expected) => {
    await service.rows("UPDATE mailbox_syncs SET next_try_at = now() + interval '1 hour'");
    await prepare();
    expect(await steps()).toEqual(expected);
  });

  it('is read on with another token once the server refuses the one that it has', async () => {
    refused = 1;
    await server.killSessions();
    await read('two');
    const [sync] = await service.rows<{ state: string }>('SELECT state FROM mailbox_syncs');
    expect(sync?.state).not.toBe('needs_attention');
  });
});
