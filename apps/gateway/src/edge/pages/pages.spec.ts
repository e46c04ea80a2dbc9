import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { accountMail } from '@postroom/contracts';
import { Secret, TOTP } from 'otpauth';
import { Gateway, type SomeWorkspace, password } from '../../testing/gateway.js';
import { bodyOf, type Answer, cookieOf } from '../../testing/http.js';
import { formPages } from './pages.js';

describe('pages without script', () => {
  let gateway: Gateway;
  let workspace: SomeWorkspace;
  let email: string;
  let invitation: string;
  let number = 0;

  beforeAll(async () => {
    gateway = await Gateway.start();
    workspace = await gateway.workspace();
  });
  afterAll(() => gateway.close());

  beforeEach(async () => {
    email = `person-${number++}@acme.test`;
    gateway.mail.calls.length = 0;
    const invited = { email, name: '<b>Robin</b>' };
    const made = await gateway.settings(workspace.admin, 'POST', '/members', invited);
    invitation = new URL(String(bodyOf(made)['invitationUrl'])).searchParams.get('token') ?? '';
    await gateway.rows('DELETE FROM sign_in_attempts');
  });

  const post = (path: string, form: Record<string, string>, headers = {}): Promise<Answer> =>
    gateway.send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(form).toString(),
    });
  const accept = (): Promise<Answer> => post('/invitation', { token: invitation, password });
  const faultIn = ({ text }: Answer): string =>
    /<p class="bad"[^>]*>([^<]*)<\/p>/.exec(text)?.[1] ?? '';

  it.each(formPages.map(({ path, title, fields }) => [path, title, fields.length] as const))(
    '%s is a labelled form, and runs nothing',
    async (path, title, fields) => {
      const { status, headers, text } = await gateway.send(path);
      expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      // A built console adds passkeys to some pages.
      const [script = ''] =
        /<script type="module" src="\/assets\/[\w-]+\.js"><\/script>/.exec(text) ?? [];
      expect(headers['content-security-policy']).toBe(
        `default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'${script && "; script-src 'self'; connect-src 'self'"}`,
      );
      expect(headers['cache-control']).toBe('no-store');
      expect(text).toContain(`<h1>${title}</h1>`);
      expect(text).toContain('<html lang="en">');
      expect(text.replace(script, '')).not.toMatch(/<script|<style|style=|\son\w+=|javascript:/i);
      const inputs = [...text.matchAll(/<input\s+id="(\w+)"/g)].map(([, id]) => id);
      const labels = [...text.matchAll(/<label for="(\w+)"/g)].map(([, id]) => id);
      expect(inputs).toHaveLength(fields);
      expect(labels).toEqual(inputs);
      const css = await gateway.send(/href="(\/pages\.css[^"]*)"/.exec(text)?.[1] ?? '');
      expect([css.status, css.headers['content-type']]).toEqual([200, 'text/css; charset=utf-8']);
    },
  );

  it('the invitation answers its page whatever the token, and a scanner uses nothing up', async () => {
    for (const token of [invitation, 'nothing', '"><script>alert(1)</script>', '']) {
      const shown = await gateway.send(`/invitation?token=${encodeURIComponent(token)}`);
      expect([shown.status, shown.text.includes('<script')]).toEqual([200, false]);
    }
    expect((await gateway.send('/invitation')).status).toBe(200);
    const accepted = await accept();
    expect([accepted.status, accepted.headers.location]).toEqual([303, '/']);
    expect(accepted.headers['set-cookie']?.[0]).toMatch(
      /^postroom_session=.*HttpOnly; SameSite=Lax/,
    );
    const signedIn = await gateway.send('/sign-in', { headers: { cookie: cookieOf(accepted) } });
    expect(signedIn.text).toContain('You are signed in');
    expect(signedIn.text).toContain('&lt;b&gt;Robin&lt;/b&gt;');
    const again = await accept();
    expect([again.status, faultIn(again)]).toEqual([
      404,
      'This invitation link is unknown, expired or already used.',
    ]);
  });

  it('signing in says what was wrong, keeps the address and not the password, and goes on', async () => {
    await accept();
    const wrong = await post('/sign-in', { email, password: 'a wrong horse' });
    expect([wrong.status, faultIn(wrong)]).toEqual([401, 'Wrong email address or password.']);
    expect(wrong.text).toContain(`value="${email}"`);
    expect(wrong.text).not.toContain('a wrong horse');
    expect(wrong.headers['set-cookie']).toBeUndefined();
    const right = await post('/sign-in?next=%2Finbox%3Fa%3D1', { email, password });
    expect([right.status, right.headers.location]).toEqual([303, '/inbox?a=1']);
    const out = await post('/sign-out', {}, { cookie: cookieOf(right) });
    expect([out.status, out.headers.location]).toEqual([303, '/']);
    expect(
      (await gateway.send('/settings/api/session', { headers: { cookie: cookieOf(right) } }))
        .status,
    ).toBe(401);
  });

  it.each([
    'https://evil.test/',
    '//evil.test/',
    '/\\evil.test/',
    'javascript:alert(1)',
    '/\t/evil.test',
    '/.//evil.test/x',
  ])('signing in goes on to no other place: %j', async (next) => {
    await accept();
    const { headers } = await post(`/sign-in?next=${encodeURIComponent(next)}`, {
      email,
      password,
    });
    expect(headers.location).toBe('/');
  });

  it('a forgotten password is replaced through the link that is mailed', async () => {
    await accept();
    const asked = await post('/reset', { email });
    expect([asked.status, asked.text.includes('Look at your mail')]).toEqual([200, true]);
    const letters = () =>
      gateway.mail.calls.filter(({ request }) => request.operation === accountMail.send.id);
    while (letters().length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    const link = /http:\S+/.exec(String(letters()[0]?.input['text']))?.[0] ?? '';
    const { pathname, search, searchParams } = new URL(link);
    const shown = await gateway.send(pathname + search);
    expect(shown.text).toContain('<h1>Choose a new password</h1>');
    const token = searchParams.get('token') ?? '';
    const common = await post('/reset/new', { token, password: 'password123' });
    expect(common.status).toBe(400);
    expect(faultIn(common)).toMatch(/^New password: This is one of the most common passwords/);
    expect(common.text).toContain('aria-invalid="true"');
    const changed = await post('/reset/new', { token, password: `new ${password}` });
    expect([changed.status, cookieOf(changed)]).toEqual([303, expect.stringContaining('session=')]);
    expect((await post('/reset/new', { token, password })).status).toBe(404);
  });

  it.each([
    ['a foreign page', 403, { origin: 'https://evil.test' }, 'another origin'],
    ['what is no form', 400, { 'content-type': 'application/json' }, 'Expected a form'],
  ])('refuse %s in words', async (_what, status, headers, words) => {
    for (const { action } of formPages.filter(({ operation }) => operation.audience === 'anyone')) {
      const answer = await post(action, { email, token: invitation, password }, headers);
      expect([answer.status, answer.headers['set-cookie']]).toEqual([status, undefined]);
      expect(faultIn(answer)).toContain(words);
    }
  });

  it('refuse a body that is too large, and too many attempts', async () => {
    const large = await post('/sign-in', { email, password: 'x'.repeat(9_000) });
    expect([large.status, faultIn(large)]).toEqual([413, expect.any(String)]);
    for (let n = 0; n < 10; n++) await post('/sign-in', { email, password: 'a wrong horse' });
    const limited = await post('/sign-in', { email, password });
    expect([limited.status, Number(limited.headers['retry-after']) > 0]).toEqual([429, true]);
  });

  it.each(['/second-factor', '/enrolment', '/enrolment/confirm'])(
    '%s needs a sign-in before it',
    async (path) => {
      const answer = await post(path, { code: '123456' });
      expect([answer.status, faultIn(answer)]).toEqual([401, expect.any(String)]);
    },
  );

  it('a member of whom a second factor is required sets up a code application', async () => {
    await gateway.rows(
      'INSERT INTO sign_in_settings (tenant_id, require_second_factor) VALUES ($1, true)',
      [workspace.id],
    );
    const token = invitation;
    const accepted = await post('/invitation?next=%2Finbox', { token, password });
    expect([accepted.status, accepted.headers.location]).toEqual([303, '/enrolment?next=%2Finbox']);
    const cookie = cookieOf(accepted);
    expect((await gateway.send('/sign-in', { headers: { cookie } })).text).toContain('/enrolment');
    const { text } = await post('/enrolment?next=%2Finbox', {}, { cookie });
    const secret = /<dd>([A-Z2-7]{32})<\/dd>/.exec(text)?.[1] ?? '';
    expect(text).toContain(`href="otpauth://totp/`);
    expect(text).toContain('action="/enrolment/confirm?next=%2Finbox"');
    const confirm = (code: string) =>
      post('/enrolment/confirm?next=%2Finbox', { code }, { cookie });
    const wrong = await confirm('12345');
    expect([wrong.status, faultIn(wrong)]).toEqual([401, expect.stringContaining('refused')]);
    const right = await confirm(new TOTP({ secret: Secret.fromBase32(secret) }).generate());
    expect([right.status, right.text.match(/<li>/g)?.length]).toEqual([200, 10]);
    expect(right.text).toContain('href="/inbox"');
    expect((await gateway.send('/settings/api/sessions', { headers: { cookie } })).status).toBe(
      200,
    );
    const again = await post('/sign-in', { email, password });
    expect(again.headers.location).toBe('/second-factor');
  });
});
