import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { parseMessage } from './parse-message.js';

const parse = (...lines: string[]) => parseMessage(Buffer.from(lines.join('\r\n')));

describe('parseMessage', () => {
  it.each([
    ['plain', [''], ['<p>Invoice <b>4711</b></p>'], 'Invoice 4711', '<p>Invoice <b>4711</b></p>'],
    ['plain', [' \u00a0', ''], ['<p>Invoice</p>'], 'Invoice', '<p>Invoice</p>'],
    ['HTML', ['Invoice 4711'], [' ', ''], 'Invoice 4711', null],
  ])(
    'reads the other part where the %s one is blank',
    async (_which, plain, marked, text, html) => {
      const message = await parse(
        'Content-Type: multipart/alternative; boundary=b',
        '',
        '--b',
        'Content-Type: text/plain; charset=utf-8',
        '',
        ...plain,
        '--b',
        'Content-Type: text/html; charset=utf-8',
        '',
        ...marked,
        '--b--',
      );
      expect([message.text?.trim(), message.html?.trim() ?? null]).toEqual([text, html]);
      expect([message.extractedText?.trim(), message.preview]).toEqual([text, text]);
    },
  );

  it.each([
    ['has no boundary', 'multipart/mixed', ['Invoice 4711', 'déjà vu'], 'Invoice 4711\ndéjà vu'],
    [
      'ends before its first part',
      'multipart/mixed; boundary=b',
      ['Invoice 4711', '--b--', 'epilogue'],
      'Invoice 4711',
    ],
    [
      'has parts with another boundary',
      'multipart/alternative; boundary=b',
      ['--c', 'Content-Type: text/plain', '', 'Invoice 4711', '--c--'],
      '--c\nContent-Type: text/plain\n\nInvoice 4711\n--c--',
    ],
  ])('shows the body of a multipart message that %s', async (_which, type, body, text) => {
    const message = await parse(`Content-Type: ${type}`, 'Subject: x', '', ...body);
    expect(message).toMatchObject({ subject: 'x', text, html: null, attachments: [] });
    expect(message.preview).toContain('Invoice 4711');
  });

  it('decodes the body of a multipart message without parts, in whatever charset', async () => {
    const head =
      'Content-Type: multipart/mixed\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n';
    const { text } = await parseMessage(Buffer.from(`${head}caf=E9 =3D 4711`));
    expect(text).toBe('café = 4711');
  });

  it('shows nothing of a multipart message whose parts are empty, or of its preamble', async () => {
    const head = ['Content-Type: multipart/alternative; boundary=b', '', 'preamble', '--b'];
    for (const body of [[], ['', '']]) {
      const { text } = await parse(...head, 'Content-Type: text/plain', '', ...body, '--b--');
      expect((text ?? '').trim()).toBe('');
    }
  });

  it('reads every field of a common message', async () => {
    const message = await parse(
      'From: =?utf-8?q?J=C3=A9r=C3=B4me?= <jerome@x.test>',
      'To: Support <support@acme.test>, joe@x.test',
      'Cc: c@x.test',
      'Bcc: b@x.test',
      'Reply-To: r@x.test',
      'Subject: =?utf-8?b?UsOpdW5pb24=?=',
      'Message-ID: <3@x.test>',
      'In-Reply-To: <2@x.test>',
      'References: <1@x.test> <2@x.test>',
      'Date: Fri, 21 Nov 1997 09:55:06 -0600',
      'Importance: high',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=m',
      '',
      '--m',
      'Content-Type: multipart/related; boundary=r',
      '',
      '--r',
      'Content-Type: multipart/alternative; boundary=a',
      '',
      '--a',
      'Content-Type: text/plain; charset=utf-8',
      '',
      'À bientôt',
      '--a',
      'Content-Type: text/html; charset=utf-8',
      '',
      '<p>À <b onclick="x()">bientôt</b><img src="cid:logo@x"><img src="http://t.test/p.gif"></p>',
      '--a--',
      '--r',
      'Content-Type: image/png; name=logo.png',
      'Content-ID: <logo@x>',
      'Content-Disposition: inline',
      'Content-Transfer-Encoding: base64',
      '',
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAA=',
      '--r--',
      '--m',
      "Content-Type: application/pdf; name*=utf-8''r%C3%A9sum%C3%A9.pdf",
      'Content-Disposition: attachment',
      '',
      'no document at all',
      '--m--',
    );
    expect(message).toMatchObject({
      subject: 'Réunion',
      from: { email: 'jerome@x.test', name: 'Jérôme' },
      to: [
        { email: 'support@acme.test', name: 'Support' },
        { email: 'joe@x.test', name: null },
      ],
      cc: [{ email: 'c@x.test', name: null }],
      bcc: [{ email: 'b@x.test', name: null }],
      replyTo: [{ email: 'r@x.test', name: null }],
      messageId: '3@x.test',
      inReplyTo: '2@x.test',
      references: ['1@x.test', '2@x.test'],
      sentAt: '1997-11-21T15:55:06.000Z',
      text: 'À bientôt\n',
      html: '<p>À <b>bientôt</b><img src="cid:logo@x" /><img data-remote-src="http://t.test/p.gif" /></p>\n',
      extractedText: 'À bientôt\n',
      preview: 'À bientôt',
      hasRemoteContent: true,
      attachments: [
        {
          filename: 'logo.png',
          mimeType: 'image/png',
          declaredMimeType: 'image/png',
          size: 29,
          inline: true,
          contentId: 'logo@x',
        },
        {
          filename: 'résumé.pdf',
          mimeType: 'text/plain',
          declaredMimeType: 'application/pdf',
          size: 18,
          inline: false,
          contentId: null,
        },
      ],
      isAutoReply: false,
      priority: 'high',
      parsed: true,
    });
  });

  it('reads a text from HTML where there is no other', async () => {
    const { text, preview } = await parse('Content-Type: text/html', '', '<p>One</p><p>Two</p>');
    expect({ text, preview }).toEqual({ text: 'One\n\nTwo', preview: 'One Two' });
  });

  it('keeps a forwarded message as one file', async () => {
    const { text, attachments } = await parse(
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      '',
      'See below',
      '--b',
      'Content-Type: message/rfc822; name=mail.eml',
      '',
      'Subject: inner',
      'Content-Type: text/html',
      '',
      '<p>inner</p>',
      '--b--',
    );
    expect(text).toBe('See below\n');
    expect(attachments).toMatchObject([{ filename: 'mail.eml', mimeType: 'message/rfc822' }]);
  });

  it('lists a part that its sender calls inline but the HTML does not show', async () => {
    const { attachments } = await parse(
      'Content-Type: image/png',
      'Content-ID: <x@y>',
      'Content-Disposition: inline; filename=a.png',
      '',
      'x',
    );
    expect(attachments).toMatchObject([{ filename: 'a.png', inline: false, contentId: 'x@y' }]);
  });

  describe('of texts beside the first part', () => {
    const lines = [
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain; name=body.txt',
      '',
      'See the files',
    ];

    it.each([
      ['inline', 'text/plain', 'Content-Disposition: inline; filename="log;1.txt"', 'log;1.txt'],
      [
        'inline, folded',
        'text/html',
        "Content-Disposition: inline;\r\n filename*=UTF-8''%C3%A9.html",
        'é.html',
      ],
      [
        'of another disposition',
        'text/plain',
        'Content-Disposition: form-data; filename=log.txt',
        'log.txt',
      ],
      [
        'without a disposition',
        'text/plain; charset=utf-8; name=log.txt',
        'X-Other: yes',
        'log.txt',
      ],
      [
        'named in raw UTF-8',
        'text/plain',
        'Content-Disposition: inline; filename="é.txt"',
        'é.txt',
      ],
    ])('lists one with a name as a file, sent %s', async (_, type, field, filename) => {
      const part = ['--b', `Content-Type: ${type}`, field, '', '<p>of a file</p>'];
      const { text, html, attachments } = await parse(...lines, ...part, '--b--');
      expect([text, html]).toEqual(['See the files\n', null]);
      expect(attachments).toMatchObject([{ filename, size: 16, inline: false }]);
    });

    it('lists one that is as large as a text may be, whole', async () => {
      const part = ['--b', 'Content-Type: text/plain; name=log.txt', '', 'x'.repeat(3_000_000)];
      const { text, attachments } = await parse(...lines, ...part, '--b--');
      expect(text).toBe('See the files\n');
      expect(attachments).toMatchObject([{ filename: 'log.txt', size: 3_000_000 }]);
    });

    it('reads those without a name, and the forms of an alternative, as the body', async () => {
      const { text, html, attachments } = await parse(
        ...lines,
        ...['--b', 'Content-Disposition: inline', '', 'A footer', '--b'],
        ...['Content-Type: multipart/alternative; boundary=c', ''],
        ...['--c', 'Content-Type: text/plain; name=a.txt', '', 'plain', '--c'],
        ...['Content-Type: text/html; name=a.html', '', '<p>rich</p>', '--c--', '--b--'],
      );
      expect(text).toBe('See the files\n\nA footer\n\nplain\n');
      expect(html).toContain('<p>rich</p>');
      expect(attachments).toEqual([]);
    });
  });

  it('has an answer for an empty message', async () => {
    expect(await parse('')).toMatchObject({
      subject: '',
      from: null,
      to: [],
      messageId: null,
      sentAt: null,
      text: null,
      html: null,
      preview: '',
      attachments: [],
      parsed: true,
    });
  });

  it('stores what PostgreSQL can store', async () => {
    const message = await parse('Subject: a\0b', 'From: "n\0" <a\0@x.test>', '', 'te\0xt');
    expect(message).toMatchObject({ subject: 'a\ufffdb', text: 'te\ufffdxt\n' });
    expect(JSON.stringify(message)).not.toContain('\\u0000');
  });

  it('does not change its input', async () => {
    const raw = Buffer.from('Subject: R\xe9union\r\n\r\n\xe9', 'latin1');
    const before = Buffer.from(raw);
    await parseMessage(raw);
    expect(raw.equals(before)).toBe(true);
  });
});
