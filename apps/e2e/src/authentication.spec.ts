import { beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, send } from './http.js';
import { withoutRequest } from './sameness.js';
import { SettingsApi } from './settings-api.js';
import { type OwnKey, Workplace } from './workplace.js';

describe('authentication', () => {
  let place: Workplace;
  let mailbox: string;
  let good: OwnKey;
  let refusals: Record<string, Readonly<Record<string, string>>>;

  const list = (headers: Readonly<Record<string, string>>): Promise<Answer> =>
    send(`${place.product.baseUrl}/v1/conversations?mailbox=${mailbox}`, { headers });

  beforeAll(async () => {
    place = await Workplace.open('acme');
    mailbox = await place.mailbox();
    good = await place.keyFor(mailbox);
    const revoked = await place.keyFor(mailbox);
    await place.settings.delete(`/keys/${revoked.id}`);
    const expiresAt = new Date(Date.now() + 1_500);
    const expired = await place.keyFor(mailbox, { expiresAt: expiresAt.toISOString() });
    const neighbour = await place.keyFor(mailbox);
    const secretAt = good.key.lastIndexOf('_') + 1;
    const key = good.key;
    const last = key.at(-1) === 'A' ? 'B' : 'A';
    refusals = {
      'no key': {},
      'an empty key': { 'X-Api-Key': '' },
      'a malformed key': { 'X-Api-Key': 'hello' },
      'a key of another form': { 'X-Api-Key': 'sk_live_0123456789abcdef0123456789abcdef' },
      'a key with control characters': { 'X-Api-Key': 'pr_human_\t' },
      'a key of 8 000 characters': { 'X-Api-Key': `pr_human_${'A'.repeat(8_000)}` },
      'a key with something added': { 'X-Api-Key': `${key}A` },
      'a key cut short': { 'X-Api-Key': key.slice(0, -1) },
      'a key in other case': { 'X-Api-Key': key.toUpperCase() },
      'a key of the other kind': { 'X-Api-Key': key.replace('pr_human_', 'pr_agent_') },
      'a wrong checksum': { 'X-Api-Key': key.slice(0, -1) + last },
      'a wrong secret': { 'X-Api-Key': key.slice(0, secretAt) + neighbour.key.slice(secretAt) },
      'a revoked key': { 'X-Api-Key': revoked.key },
      'an expired key': { 'X-Api-Key': expired.key },
      'a bearer token that is none': { Authorization: 'Bearer hello' },
      'an empty bearer token': { Authorization: 'Bearer ' },
      'a revoked bearer token': { Authorization: `Bearer ${revoked.key}` },
      'basic credentials': { Authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` },
      'a session of the settings': { Cookie: place.settings.cookie },
    };
    await sleep(Math.max(0, expiresAt.getTime() - Date.now()) + 50);
  });

  it('answers every cause of a 401 alike, byte for byte', async () => {
    const reference = await list({});
    expect(reference.status).toBe(401);
    for (const [cause, headers] of Object.entries(refusals)) {
      const answer = await list(headers);
      expect([cause, withoutRequest(answer)]).toEqual([cause, withoutRequest(reference)]);
    }
  });

  it('answers a 401 alike on every path and method, known or not', async () => {
    const reference = withoutRequest(await list({}));
    const asked: [string, string, string?][] = [
      ['GET', '/v1/conversations'],
      ['GET', '/v1/conversations/cnv_x'],
      ['POST', '/v1/conversations/cnv_x/archive', '{}'],
      ['POST', '/v1/conversations/cnv_x/comment', '{ not JSON'],
      ['GET', '/v1/nothing'],
      ['DELETE', '/v1/conversations'],
      ['PATCH', '/'],
      ['POST', '/openapi.json', '{}'],
    ];
    for (const [method, path, body] of asked) {
      const answer = await send(place.product.baseUrl + path, { method, body });
      expect([path, withoutRequest(answer)]).toEqual([path, reference]);
    }
  });

  it('does not take the key from the address', async () => {
    for (const name of ['api_key', 'apiKey', 'X-Api-Key', 'key', 'access_token']) {
      const url = `${place.product.baseUrl}/v1/conversations?mailbox=${mailbox}&${name}=${good.key}`;
      expect((await send(url)).status).toBe(401);
    }
  });

  it('does not let an API key into the settings', async () => {
    const nobody = new SettingsApi(place.product);
    for (const headers of [
      { 'X-Api-Key': place.tenant.keys.admin },
      { Authorization: `Bearer ${place.tenant.keys.admin}` },
    ]) {
      expect((await nobody.get('/keys', headers)).status).toBe(401);
    }
  });

  it('needs the /public of the address', async () => {
    const { origin } = new URL(place.product.baseUrl);
    const answer = await send(`${origin}/v1/conversations?mailbox=${mailbox}`, {
      headers: { 'X-Api-Key': good.key },
    });
    expect(answer.status).toBe(404);
  });
});
