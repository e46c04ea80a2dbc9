import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EventKeys, newEventKey, publicEventKey } from './event-keys.js';

const [mailKey, directoryKey, nextMailKey] = [newEventKey(), newEventKey(), newEventKey()];
const entry = (service: string, key: string) => `${service}:${publicEventKey(key)}`;
const published = [entry('mail', mailKey), entry('directory', directoryKey)];

const mail = new EventKeys('mail', mailKey, published);
const directory = new EventKeys('directory', directoryKey, published);

describe('the keys of events', () => {
  it('tell every service who has signed', () => {
    expect(directory.signerOf('content', mail.sign('content'))).toBe('mail');
    expect(mail.signerOf('content', directory.sign('content'))).toBe('directory');
    expect(mail.signerOf('content', mail.sign('content'))).toBe('mail');
  });

  it('tell of no other content, and of no other text as a signature', () => {
    const signature = mail.sign('content');
    expect(directory.signerOf('Content', signature)).toBeUndefined();
    const [keyId = ''] = signature.split('.');
    const [, ofDirectory = ''] = directory.sign('content').split('.');
    expect(directory.signerOf('content', `${keyId}.${ofDirectory}`)).toBeUndefined();
    fc.assert(
      fc.property(fc.string({ maxLength: 120, unit: 'binary' }), (text) => {
        expect(directory.signerOf('content', text)).toBeUndefined();
        expect(directory.signerOf('content', `${keyId}.${text}`)).toBeUndefined();
      }),
    );
  });

  it('are changed one service at a time: readers know the new key before it signs', () => {
    const both = [...published, entry('mail', nextMailKey)];
    const reader = new EventKeys('directory', directoryKey, both);
    const changed = new EventKeys('mail', nextMailKey, both);
    expect(reader.signerOf('content', mail.sign('content'))).toBe('mail');
    expect(reader.signerOf('content', changed.sign('content'))).toBe('mail');
    const later = new EventKeys('directory', directoryKey, [
      entry('mail', nextMailKey),
      entry('directory', directoryKey),
    ]);
    expect(later.signerOf('content', changed.sign('content'))).toBe('mail');
    expect(later.signerOf('content', mail.sign('content'))).toBeUndefined();
  });

  it('are refused where the service’s own public key is missing, or is said to be another’s', () => {
    const lacking = 'EVENT_PUBLIC_KEYS lacks the public key of the EVENT_KEY of mail';
    for (const keys of [[entry('directory', directoryKey)], [entry('directory', mailKey)]]) {
      expect(() => new EventKeys('mail', mailKey, keys)).toThrow(lacking);
    }
  });

  it.each([
    ['text', 'nonsense'],
    ['an unknown service', entry('stranger', mailKey)],
    ['a private key', `mail:${mailKey}`],
    [
      'a key of another kind',
      `mail:${generateKeyPairSync('ec', { namedCurve: 'P-256' })
        .publicKey.export({ format: 'der', type: 'spki' })
        .toString('base64')}`,
    ],
  ])('are refused with %s among the public ones, by its place alone', (_what, wrong) => {
    const make = () => new EventKeys('mail', mailKey, [...published, wrong]);
    expect(make).toThrow('Entry 3 of EVENT_PUBLIC_KEYS is not <service>:<public key');
    expect(make).not.toThrow(wrong);
  });

  it.each(['nonsense', publicEventKey(mailKey)])('are refused with a wrong EVENT_KEY', (wrong) => {
    const make = () => new EventKeys('mail', wrong, published);
    expect(make).toThrow('EVENT_KEY is no private key of Ed25519');
    expect(make).not.toThrow(wrong);
  });
});
