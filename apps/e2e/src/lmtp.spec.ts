import { beforeAll, describe, expect, it } from '@jest/globals';
import { execFile, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { type ConversationItem, pageOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

/** Python's LMTP client; it prints the refused recipients as JSON. */
const python = `
import json, smtplib, sys
port, message, *to = sys.argv[1:]
with smtplib.LMTP('127.0.0.1', int(port)) as lmtp:
    refused = lmtp.sendmail('camille@correspondent.example', to, message)
print(json.dumps({address: code for address, (code, _) in refused.items()}))
`;

function hasPython(): boolean {
  try {
    execFileSync('python3', ['-c', 'import smtplib'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const itWithPython = hasPython() ? it : it.skip;

describe('mail over LMTP', () => {
  let place: Workplace;
  let mailbox: string;
  let api: OwnKey;

  beforeAll(async () => {
    place = await Workplace.open('acme');
    mailbox = await place.mailbox();
    api = await place.keyFor(mailbox);
  });

  const listed = async (): Promise<readonly ConversationItem[]> =>
    pageOf(await api.get('/v1/conversations', { mailbox, limit: 100 })).conversations;

  // Needs python3 on the PATH.
  itWithPython('is taken from a client of another make', async () => {
    const subject = randomUUID();
    const message = `Subject: ${subject}\r\n\r\nHello\r\n`;
    const to = [mailbox, 'nobody@acme.test'];
    const args = ['-c', python, String(place.product.lmtp?.port), message, ...to];
    const { stdout } = await promisify(execFile)('python3', args);
    expect(JSON.parse(stdout)).toEqual({ 'nobody@acme.test': 550 });
    expect((await listed()).map((one) => one.subject)).toContain(subject);
  });
});
