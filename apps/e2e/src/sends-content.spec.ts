import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { execFileSync, spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { aMessage, outboxWith, receiptOf, sendMessage, senderFor } from './sending.js';
import { conversationOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

/** Parses a message with Python's library, which shares no code with ours. */
const python = `
import email, email.policy, hashlib, json, sys
from email.header import decode_header, make_header
from email.utils import getaddresses
raw = sys.stdin.buffer.read()
m = email.message_from_bytes(raw, policy=email.policy.default)
# Of names in several encoded words the newer reader makes blanks that are not there (RFC 2047 6.2).
older = email.message_from_bytes(raw)
def people(name):
    return [[str(make_header(decode_header(n))), a] for n, a in getaddresses(older.get_all(name, []))]
def body(kind):
    part = m.get_body(preferencelist=(kind,))
    return part.get_content().replace('\\r\\n', '\\n') if part else None
files = [[p.get_filename(), p.get_content_type(), hashlib.sha256(p.get_payload(decode=True)).hexdigest()]
         for p in m.iter_attachments()]
print(json.dumps({
  'subject': m['Subject'], 'from': people('From'), 'to': people('To'), 'cc': people('Cc'),
  'plain': body('plain'), 'html': body('html'), 'files': files, 'names': sorted(set(m.keys())),
  'priority': [m['X-Priority'], m['Importance']], 'defects': [str(d) for d in m.defects],
  'references': m['References'], 'inReplyTo': m['In-Reply-To'], 'id': m['Message-ID'] }))
`;

interface Read {
  readonly subject: string;
  readonly from: readonly (readonly [string, string])[];
  readonly to: readonly (readonly [string, string])[];
  readonly cc: readonly (readonly [string, string])[];
  readonly plain: string | null;
  readonly html: string | null;
  readonly files: readonly (readonly [string, string, string])[];
  readonly names: readonly string[];
  readonly priority: readonly (string | null)[];
  readonly defects: readonly string[];
  readonly references: string | null;
  readonly inReplyTo: string | null;
  readonly id: string;
}

const hasPython = spawnSync('python3', ['--version']).status === 0;
const withPython = hasPython ? describe : describe.skip;
if (!hasPython) process.stdout.write('what a message says: SKIPPED. No python3.\n');

const read = (eml: string): Read =>
  JSON.parse(execFileSync('python3', ['-c', python], { input: eml }).toString()) as Read;

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

let place: Workplace;
let mailbox: string;
let api: OwnKey;

beforeAll(async () => {
  place = await Workplace.open('acme');
  mailbox = await place.mailbox();
  api = await senderFor(place, mailbox);
});

const sent = async (given: object): Promise<Read> => {
  const message = aMessage(mailbox, given);
  const { providerMessageId } = receiptOf(await sendMessage(api, message));
  const [eml = ''] = await outboxWith(place.product, providerMessageId);
  return read(eml);
};

withPython('what a message says to another reader', () => {
  it('are the names, the bodies and the files that were given, to the byte', async () => {
    const bytes = randomBytes(70_001);
    const html = `<p>Zoë &amp; 例え — <a href="https://x.example/?a=1&amp;b=2">look</a></p>${'long '.repeat(400)}`;
    const found = await sent({
      to: [
        { email: 'zoe@münchen.example', name: 'Zoë "Z" O’Hara, Dr. <x>' },
        { address: 'b@c.example', name: '例え' },
      ],
      cc: 'Müller <m@c.example>',
      bcc: 'hidden@c.example',
      subject: 'Größe: 例え =?utf-8?q?not_a_word?= ' + 'é'.repeat(200),
      body: html,
      priority: 'high',
      attachments: [
        { contentBase64: bytes.toString('base64'), filename: 'Größe "例え" 100%.bin' },
        { contentBase64: Buffer.from('%PDF-1.7\n').toString('base64'), name: 'a.exe' },
      ],
    });
    expect(found).toMatchObject({
      to: [
        ['Zoë "Z" O’Hara, Dr. <x>', 'zoe@xn--mnchen-3ya.example'],
        ['例え', 'b@c.example'],
      ],
      cc: [['Müller', 'm@c.example']],
      priority: ['1 (Highest)', 'High'],
      files: [
        ['Größe "例え" 100%.bin', 'application/octet-stream', sha256(bytes)],
        ['a.exe', 'application/pdf', sha256(Buffer.from('%PDF-1.7\n'))],
      ],
      defects: [],
    });
    expect(found.from).toEqual([['End to end', mailbox]]);
    expect(found.subject).toBe('Größe: 例え =?utf-8?q?not_a_word?= ' + 'é'.repeat(200));
    expect(found.html?.trimEnd()).toBe(html.trimEnd());
    expect(found.plain).toContain('Zoë & 例え — look [https://x.example/?a=1&b=2]');
    expect(found.names).not.toContain('Bcc');
  });

  it('is plain text alone, where that was given', async () => {
    const body = 'Dear Camille,\n\n1 < 2 and <ann@b.example> wrote.\n.\nFrom here on: é\n';
    const found = await sent({ body });
    expect(found).toMatchObject({ plain: body, html: null, files: [] });
  });

  it('may be nothing but a file', async () => {
    const file = { contentBase64: 'QQ==', filename: 'a.txt', mimeType: 'text/plain' };
    const found = await sent({ body: '', attachments: [file] });
    expect(found.files).toEqual([['a.txt', 'text/plain', sha256(Buffer.from('A'))]]);
  });

  it('trims long chains of references to the first and the newest', async () => {
    const chain = Array.from({ length: 60 }, (_, i) => `<m${i}@correspondent.example>`);
    const { id } = await place.receive(api, mailbox, {
      messageId: '<last@correspondent.example>',
      references: chain,
    });
    const answer = await api.post(
      `/v1/conversations/${id}/send`,
      aMessage(mailbox),
      `e2e-${String(Math.random())}`,
    );
    const [eml = ''] = await outboxWith(place.product, receiptOf(answer).providerMessageId);
    const { references, inReplyTo } = read(eml);
    const named = references?.split(/\s+/) ?? [];
    expect(named[0]).toBe('<m0@correspondent.example>');
    expect(named.slice(-2)).toEqual([
      '<m59@correspondent.example>',
      '<last@correspondent.example>',
    ]);
    expect(named).toHaveLength(20);
    expect(inReplyTo).toBe('<last@correspondent.example>');
  });

  it('is signed for its domain where the mailbox has a key', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const own = await place.mailbox();
    const { text } = await place.settings.get('/mailboxes');
    const { items } = JSON.parse(text) as { items: { id: string; address: string }[] };
    const id = items.find(({ address }) => address === own)?.id ?? '';
    await place.settings.patch(`/mailboxes/${id}`, { dkim: { selector: 'pr1', privateKey: pem } });
    const sender = await senderFor(place, own);
    const answer = receiptOf(await sendMessage(sender, aMessage(own)));
    const [eml = ''] = await outboxWith(place.product, answer.providerMessageId);
    expect(eml).toMatch(/^DKIM-Signature: v=1; a=rsa-sha256;[^]*?d=acme\.test;[^]*?s=pr1;/);
    await place.settings.patch(`/mailboxes/${id}`, { dkim: { selector: 'pr1', privateKey: 'no' } });
    const refused = await sendMessage(sender, aMessage(own));
    expect(refused.status).toBe(503);
    expect(refused.text).not.toContain('outcomeUnknown');
  });

  it('shows of it what others may see, safely', async () => {
    const body =
      '<p onclick="x()">Hello</p><script>alert(1)</script><img src="https://t.example/p">';
    const { threadId } = receiptOf(await sendMessage(api, aMessage(mailbox, { body })));
    const whole = conversationOf(await api.get(`/v1/conversations/${threadId}`, { mailbox }));
    const [message] = whole.messages;
    expect(message).toMatchObject({ text: 'Hello\n', hasRemoteContent: true });
    expect(message?.html).not.toMatch(/script|onclick| src=/);
  });
});
