import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  endedSessionCookie,
  hashSessionToken,
  newSessionToken,
  readSessionCookie,
  sessionCookie,
} from './session-token.js';

const http = { publicUrl: 'http://127.0.0.1:3000/' };
const https = { publicUrl: 'https://mail.example.org/' };

describe('session tokens', () => {
  it('carry 256 random bits and are known to the server by their hash alone', () => {
    const { token, tokenHash } = newSessionToken();
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    expect(tokenHash).toBe(hashSessionToken(token));
    expect(tokenHash).toMatch(/^[0-9a-f]{64}$/);
    expect(newSessionToken().token).not.toBe(token);
  });

  it('travel in a cookie that is HttpOnly and SameSite=Lax, and Secure behind HTTPS only', () => {
    expect(sessionCookie('t', http, 604_800)).toBe(
      'postroom_session=t; Path=/; Max-Age=604800; HttpOnly; SameSite=Lax',
    );
    expect(sessionCookie('t', https, 604_800)).toBe(
      '__Host-postroom_session=t; Path=/; Max-Age=604800; HttpOnly; SameSite=Lax; Secure',
    );
  });

  it('are forgotten by the browser at sign-out', () => {
    expect(endedSessionCookie(http)).toBe(
      'postroom_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
    );
  });

  it('come back from the header among any other cookies', () => {
    const { token } = newSessionToken();
    const other = fc.stringMatching(/^[a-z]{1,8}=[a-zA-Z0-9=]{0,12}$/);
    fc.assert(
      fc.property(fc.array(other), fc.array(other), (before, after) => {
        const header = [...before, `postroom_session=${token}`, ...after].join('; ');
        expect(readSessionCookie(header, http)).toBe(token);
      }),
    );
  });

  it('are not found in a header that holds none, whatever it holds', () => {
    expect(readSessionCookie(null, http)).toBeNull();
    expect(readSessionCookie('postroom_session=', http)).toBeNull();
    expect(readSessionCookie(`other_postroom_session=${newSessionToken().token}`, http)).toBeNull();
    expect(readSessionCookie(`postroom_session=${newSessionToken().token}x`, http)).toBeNull();
    fc.assert(
      fc.property(fc.string(), (header) => expect(readSessionCookie(header, http)).toBeNull()),
    );
  });

  it('are read by the name that no neighbouring host can set, where the deployment has HTTPS', () => {
    const { token } = newSessionToken();
    const plain = `postroom_session=${newSessionToken().token}`;
    expect(readSessionCookie(`${plain}; __Host-postroom_session=${token}`, https)).toBe(token);
    expect(readSessionCookie(plain, https)).toBeNull();
    expect(readSessionCookie(`__Host-postroom_session=${token}`, http)).toBeNull();
  });

  it('are refused when two different ones are sent, and read when one is sent twice', () => {
    const [mine, planted] = [newSessionToken().token, newSessionToken().token];
    const both = (one: string, two: string) => `postroom_session=${one}; postroom_session=${two}`;
    expect(readSessionCookie(both(mine, planted), http)).toBeNull();
    expect(readSessionCookie(both(mine, mine), http)).toBe(mine);
  });
});
