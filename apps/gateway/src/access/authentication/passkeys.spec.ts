import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Gateway, type SomeMember, type SomeWorkspace } from '../../testing/gateway.js';
import { bodyOf, type Answer, cookieOf } from '../../testing/http.js';

interface Options {
  readonly challenge: string;
  readonly excludeCredentials?: readonly { readonly id: string }[];
  readonly allowCredentials?: readonly { readonly id: string }[];
}

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();

const presence = 0x01;
const verification = 0x04;
const attested = 0x40;

/** An authenticator in software (WebAuthn 3 §6), with one passkey. */
class Authenticator {
  readonly id = randomBytes(16);
  counter = 0;
  flags = presence | verification;
  private readonly privateKey: KeyObject;
  private readonly cose: Buffer;

  constructor(
    private readonly origin: string,
    private readonly rpId = new URL(origin).hostname,
  ) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.privateKey = privateKey;
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    // CBOR of {1: 2, 3: -7, -1: 1, -2: x, -3: y} (RFC 9052).
    this.cose = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      ...[Buffer.from(x, 'base64url'), Buffer.from('225820', 'hex'), Buffer.from(y, 'base64url')],
    ]);
  }

  create({ challenge }: Options): object {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.id.length);
    const key = Buffer.concat([Buffer.alloc(16), length, this.id, this.cose]);
    const data = Buffer.concat([this.data(this.flags | attested), key]);
    const size = Buffer.alloc(2);
    size.writeUInt16BE(data.length);
    // CBOR of {fmt: 'none', attStmt: {}, authData: data}.
    const attestation = Buffer.concat([
      ...[Buffer.from('\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x59', 'latin1'), size, data],
    ]);
    return this.answer({
      clientDataJSON: this.clientData('webauthn.create', challenge),
      attestationObject: attestation,
    });
  }

  get({ challenge }: Options): object {
    const clientDataJSON = this.clientData('webauthn.get', challenge);
    const authenticatorData = this.data(this.flags);
    const signed = Buffer.concat([authenticatorData, sha256(clientDataJSON)]);
    const signature = sign('sha256', signed, this.privateKey);
    return this.answer({ clientDataJSON, authenticatorData, signature });
  }

  private data(flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    return Buffer.concat([sha256(this.rpId), Buffer.from([flags]), counter]);
  }

  private clientData(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.origin }));
  }

  private answer(response: Record<string, Buffer>): object {
    const id = this.id.toString('base64url');
    const texts = Object.entries(response).map(([name, bytes]) => [
      name,
      bytes.toString('base64url'),
    ]);
    const rest = { type: 'public-key', clientExtensionResults: {} };
    return { id, rawId: id, response: Object.fromEntries(texts) as object, ...rest };
  }
}

describe('a passkey', () => {
  let gateway: Gateway;
  let workspace: SomeWorkspace;
  let member: SomeMember;
  let authenticator: Authenticator;
  const origin = 'http://localhost:3000';

  beforeAll(async () => {
    gateway = await Gateway.start({ PUBLIC_URL: origin });
    workspace = await gateway.workspace();
  });
  afterAll(() => gateway.close());

  beforeEach(async () => {
    authenticator = new Authenticator(origin);
    const made = await gateway.person(workspace);
    member = { ...made, cookie: cookieOf(await signIn(made.email)) };
  });

  const signIn = (email = member.email): Promise<Answer> => gateway.signIn(email);
  const ask = (method: string, path: string, body?: object, cookie = member.cookie) =>
    gateway.settings({ ...member, cookie }, method, path, body);
  const said = (answer: Answer): unknown[] => [answer.status, bodyOf(answer)['error']];
  const ok = [200, undefined];
  const refused = [401, 'SECOND_FACTOR_REFUSED'];
  const optionsOf = (answer: Answer): Options => bodyOf(answer)['options'] as Options;
  const registration = async (): Promise<Options> =>
    optionsOf(await ask('POST', '/me/passkeys/options'));
  const register = (credential: object, name = 'Laptop'): Promise<Answer> =>
    ask('POST', '/me/passkeys', { name, credential });
  const enrol = async (one = authenticator): Promise<Answer> => {
    const made = await register(one.create(await registration()));
    expect(made.status).toBe(201);
    return made;
  };
  const challenge = async (cookie: string): Promise<Options> =>
    optionsOf(await ask('POST', '/session/passkey-options', undefined, cookie));
  const give = (passkey: object, cookie: string): Promise<Answer> =>
    ask('POST', '/session/second-factor', { passkey }, cookie);
  /** Options of a sign-in with a passkey alone, with the cookie that they came with. */
  const begin = async (): Promise<{ options: Options; cookie: string }> => {
    const answer = await gateway.send('/settings/api/session/passkey');
    return { options: optionsOf(answer), cookie: cookieOf(answer) };
  };
  const signInBy = (credential: object, cookie: string): Promise<Answer> =>
    gateway.send('/settings/api/session/passkey', {
      ...{ method: 'POST', headers: { cookie }, body: { credential } },
    });

  it('is one of several with names, listed, and removed by its member alone', async () => {
    gateway.mail.calls.length = 0;
    gateway.mail.answer = () => ({ body: { ok: true } });
    const first = bodyOf(await enrol());
    expect(first['recoveryCodes']).toHaveLength(10);
    const other = new Authenticator(origin);
    const options = await registration();
    const known = authenticator.id.toString('base64url');
    expect(options.excludeCredentials).toEqual([expect.objectContaining({ id: known })]);
    const second = bodyOf(await register(other.create(options), 'Telephone'));
    expect(second).not.toHaveProperty('recoveryCodes');
    const list = async () => bodyOf(await ask('GET', '/me/passkeys'))['items'] as { id: string }[];
    expect(await list()).toMatchObject([{ name: 'Laptop' }, { name: 'Telephone' }]);
    for (const { id } of await list()) {
      const path = `/me/passkeys/${id}`;
      const foreign = await gateway.settings(workspace.admin, 'DELETE', path);
      expect(said(foreign)).toEqual([404, 'PASSKEY_NOT_FOUND']);
      expect(said(await ask('DELETE', path))).toEqual(ok);
    }
    while ((await gateway.rows('SELECT FROM notices')).length > 0) await sleep(50);
    const letters = gateway.mail.calls.map(({ input }) => JSON.stringify(input));
    for (const change of ['added to', 'removed from'])
      expect(letters.filter((text) => text.includes(`A passkey was ${change}`))).toHaveLength(2);
    expect(bodyOf(await ask('GET', '/me/second-factor'))).toMatchObject({ recoveryCodes: 0 });
    expect(bodyOf(await signIn())).toHaveProperty('member');
  });

  it('is registered once, and with a challenge of this session that was not used', async () => {
    const options = await registration();
    const credential = authenticator.create(options);
    expect((await register(credential)).status).toBe(201);
    expect(said(await register(credential))).toEqual(refused);
    const again = authenticator.create(await registration());
    expect(said(await register(again))).toEqual([409, 'PASSKEY_EXISTS']);
    const stale = new Authenticator(origin).create(await registration());
    await gateway.rows('UPDATE sessions SET challenge_until = now()');
    expect(said(await register(stale))).toEqual(refused);
  });

  const faulty: readonly [string, (one: Authenticator) => Authenticator][] = [
    ['of another origin', () => new Authenticator('https://elsewhere.test', 'localhost')],
    ['for another relying party', () => new Authenticator(origin, 'elsewhere.test')],
    ['without verifying its user', (one) => Object.assign(one, { flags: presence })],
  ];
  it.each(faulty)('is not registered %s', async (_what, make) => {
    const one = make(authenticator);
    expect(said(await register(one.create(await registration())))).toEqual(refused);
  });

  it.each<[string, Record<string, unknown>]>([
    ['empty', {}],
    ['of another form', { id: 1, response: [] }],
  ])('is not made of an answer that is %s', async (_what, credential) => {
    await registration();
    expect(said(await register(credential))).toEqual(refused);
    const { cookie } = await begin();
    expect(said(await signInBy(credential, cookie))).toEqual([401, 'SIGN_IN_FAILED']);
  });

  it('finishes a sign-in, each challenge once and in its session alone', async () => {
    await enrol();
    const begun = await signIn();
    expect(bodyOf(begun)).toEqual({ secondFactor: { methods: ['passkey', 'recovery_code'] } });
    const [half, other] = [cookieOf(begun), cookieOf(await signIn())];
    authenticator.counter = 1;
    const theirs = authenticator.get(await challenge(other));
    await challenge(half);
    expect(said(await give(theirs, half))).toEqual(refused);
    const used = authenticator.get(await challenge(half));
    const given = await give(used, half);
    expect(bodyOf(given)).toMatchObject({ member: { id: member.id } });
    expect(said(await give(used, cookieOf(given)))).toEqual(refused);
  });

  it('of another member proves nothing', async () => {
    await enrol();
    const { admin } = workspace;
    const answer = await ask('POST', '/session/passkey-options', undefined, admin.cookie);
    const proof = authenticator.get(optionsOf(answer));
    expect(said(await give(proof, admin.cookie))).toEqual(refused);
  });

  it('signs in alone, since its user was verified: once, in the browser that has begun', async () => {
    await enrol();
    const { options, cookie } = await begin();
    const credential = authenticator.get(options);
    const failed = [401, 'SIGN_IN_FAILED'];
    expect(said(await signInBy(credential, ''))).toEqual(failed);
    expect(said(await signInBy(credential, (await begin()).cookie))).toEqual(failed);
    const signed = await signInBy(credential, cookie);
    expect(bodyOf(signed)).toMatchObject({ member: { id: member.id } });
    expect(said(await ask('GET', '/sessions', undefined, cookieOf(signed)))).toEqual(ok);
    expect(said(await signInBy(credential, cookie))).toEqual(failed);
    expect(await gateway.audit(workspace)).toContainEqual(
      expect.objectContaining({ action: 'session.passkey', actorId: member.id }),
    );
    const stranger = await begin();
    const unknown = new Authenticator(origin).get(stranger.options);
    expect(said(await signInBy(unknown, stranger.cookie))).toEqual(failed);
  });

  it('whose counter goes backwards was cloned: it is refused, and that is audited', async () => {
    authenticator.counter = 5;
    const { id } = bodyOf(await enrol())['passkey'] as { id: string };
    const tried = [];
    for (const counter of [6, 6, 3, 7]) {
      authenticator.counter = counter;
      const half = cookieOf(await signIn());
      tried.push(said(await give(authenticator.get(await challenge(half)), half)));
    }
    expect(tried).toEqual([ok, refused, refused, ok]);
    authenticator.counter = 7;
    const { options, cookie } = await begin();
    expect((await signInBy(authenticator.get(options), cookie)).status).toBe(401);
    const records = await gateway.audit(workspace);
    const cloned = { action: 'passkeys.cloned', subjectId: id, actorId: member.id };
    expect(records.filter(({ action }) => action === 'passkeys.cloned')).toEqual(
      Array.from({ length: 3 }, () => expect.objectContaining(cloned)),
    );
  });

  it('that counts nothing, as one that is synchronised, can be used again', async () => {
    await enrol();
    for (let n = 0; n < 2; n++) {
      const { options, cookie } = await begin();
      expect((await signInBy(authenticator.get(options), cookie)).status).toBe(200);
    }
  });

  it('is enough where a second factor is required', async () => {
    const other = await gateway.workspace();
    const body = { requireSecondFactor: true };
    expect((await gateway.settings(other.admin, 'PUT', '/sign-in', body)).status).toBe(200);
    member = other.admin;
    expect(said(await ask('GET', '/sessions'))).toEqual([403, 'ENROLMENT_REQUIRED']);
    await enrol();
    expect(said(await ask('GET', '/sessions'))).toEqual(ok);
  });
});
