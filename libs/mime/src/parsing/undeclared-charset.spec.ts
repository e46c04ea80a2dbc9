import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { parseMessage } from './parse-message.js';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const utf8 = (text: string) => Buffer.from(text, 'utf8');

describe('undeclared charsets', () => {
  it.each([
    ['windows-1252 without a charset', latin1('Subject: Réunion\n\nÀ bientôt\n')],
    ['UTF-8 without a charset', utf8('Subject: Réunion\n\nÀ bientôt\n')],
    [
      'UTF-8 called ASCII',
      utf8('Subject: Réunion\nContent-Type: text/plain; charset=us-ascii\n\nÀ bientôt\n'),
    ],
    [
      'windows-1252 called ASCII',
      latin1('Subject: Réunion\nContent-Type: text/plain; charset="us-ascii"\n\nÀ bientôt\n'),
    ],
    [
      'an unknown charset',
      utf8('Subject: Réunion\nContent-Type: text/plain; charset=X-UNKNOWN\n\nÀ bientôt\n'),
    ],
    [
      'a subject that is not in the declared UTF-8',
      Buffer.concat([
        latin1('Content-Type: text/plain; charset=utf-8\nSubject: Réunion\n\n'),
        utf8('À bientôt\n'),
      ]),
    ],
    [
      'lines of two charsets',
      Buffer.concat([utf8('X-Relay: é\n'), latin1('Subject: Réunion\n\nÀ bientôt\n')]),
    ],
  ])('are read as what they are: %s', async (_what, raw) => {
    const { subject, text } = await parseMessage(raw);
    expect({ subject, text }).toEqual({ subject: 'Réunion', text: 'À bientôt\n' });
  });

  it('leaves a declared charset to itself', async () => {
    const raw = latin1('Content-Type: text/plain; charset=iso-8859-2\n\n\xb1\n');
    expect((await parseMessage(raw)).text).toBe('ą\n');
  });

  it('does not touch the parts of a multipart message', async () => {
    const head = 'Content-Type: multipart/mixed; boundary=b\n\n--b\n';
    const raw = latin1(`${head}Content-Type: text/plain; charset=iso-8859-1\n\né\n--b--\n`);
    expect((await parseMessage(raw)).text).toBe('é\n');
  });
});
