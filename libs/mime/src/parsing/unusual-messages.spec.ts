import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import iconv from 'iconv-lite';
import { parseMessage } from './parse-message.js';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const utf8 = (text: string) => Buffer.from(text, 'utf8');
const joined = (...pieces: (string | Buffer)[]) =>
  Buffer.concat(pieces.map((one) => (typeof one === 'string' ? latin1(one) : one)));
const base64 = (bytes: Buffer) => bytes.toString('base64');

const german = 'Grüße aus Köln – 5 €';
const windows = iconv.encode(german, 'windows-1252');
const russian = 'Здравствуйте, мой заказ ещё не пришёл';
const japanese = 'お問い合わせありがとうございます';
const inJis = joined('\x1b$B$*Ld$$9g$o$;$"$j$,$H$&$4$6$$$^$9\x1b(B');
const qp = (bytes: Buffer) =>
  [...bytes].map((byte) => `=${byte.toString(16).padStart(2, '0')}`).join('');

/** A text of one part, by its Content-Type and encoding. */
const typed = (type: string, body: string | Buffer, encoding = '8bit') =>
  joined(`Subject: s\nContent-Type: ${type}\nContent-Transfer-Encoding: ${encoding}\n\n`, body);

describe('a text', () => {
  it.each<[string, string, Buffer]>([
    ['windows-1252, undeclared', german, joined('Subject: s\n\n', windows)],
    [
      'windows-1252, undeclared, in quoted-printable',
      german,
      typed('text/plain', qp(windows), 'quoted-printable'),
    ],
    ['windows-1252, undeclared, in base64', german, typed('text/plain', base64(windows), 'base64')],
    ['windows-1252 called ASCII', german, typed('text/plain; charset="us-ascii"', windows)],
    ['windows-1252 called UTF-8', german, typed('text/plain; charset=utf-8', windows)],
    ['UTF-8, undeclared', german, joined('Subject: s\n\n', utf8(german))],
    ['UTF-8 called ASCII', german, typed('text/plain; charset=us-ascii', utf8(german))],
    [
      'UTF-8 under a garbled label',
      german,
      typed(`text/plain; charset="'utf-8'"`, base64(utf8(german)), 'base64'),
    ],
    ['UTF-8 under an unknown label', german, typed('text/plain; charset=xyz', utf8(german))],
    ['windows-1252 under an unknown label', german, typed('text/plain; charset=%s', windows)],
    ['koi8-r, undeclared', russian, typed('text/plain', iconv.encode(russian, 'koi8-r'))],
    [
      'windows-1251, undeclared',
      russian,
      typed('text/plain', iconv.encode(russian, 'windows-1251')),
    ],
    ['shift_jis, undeclared', japanese, typed('text/plain', iconv.encode(japanese, 'shift_jis'))],
    [
      'euc-jp, undeclared',
      japanese,
      typed('text/plain', base64(iconv.encode(japanese, 'euc-jp')), 'base64'),
    ],
    [
      'gbk, undeclared',
      '您好，我的订单还没有到',
      typed('text/plain', iconv.encode('您好，我的订单还没有到', 'gbk')),
    ],
    [
      'big5, undeclared',
      '您好，我的訂單還沒有到',
      typed('text/plain', iconv.encode('您好，我的訂單還沒有到', 'big5')),
    ],
    [
      'euc-kr, undeclared',
      '안녕하세요 주문이 아직',
      typed('text/plain', iconv.encode('안녕하세요 주문이 아직', 'euc-kr')),
    ],
    ['iso-2022-jp, undeclared', japanese, typed('text/plain;', inJis, '7bit')],
    ['iso-2022-jp called UTF-8', japanese, typed('text/plain; charset=utf-8', inJis)],
    ['iso-2022-jp-ms', japanese, typed('text/plain; charset=iso-2022-jp-ms', inJis)],
    [
      'cp850',
      'Grüße',
      typed('text/plain; charset=ibm850', base64(iconv.encode('Grüße', 'cp850')), 'base64'),
    ],
    ['cp437', 'Grüße', typed('text/plain; charset=IBM437', iconv.encode('Grüße', 'cp437'))],
    [
      'utf-7',
      german,
      typed('text/plain; charset=unicode-1-1-utf-7', iconv.encode(german, 'utf-7')),
    ],
    [
      'utf-32',
      german,
      typed('text/plain; charset=utf-32', base64(iconv.encode(german, 'utf-32')), 'base64'),
    ],
    [
      'utf-32be',
      german,
      typed('text/plain; charset=utf-32be', base64(iconv.encode(german, 'utf-32be')), 'base64'),
    ],
    [
      'ucs-2',
      german,
      typed('text/plain; charset=ucs-2', base64(iconv.encode(german, 'utf-16be')), 'base64'),
    ],
    [
      'utf-16 with a mark',
      german,
      typed(
        'text/plain; charset=utf-16',
        base64(joined('\xfe\xff', iconv.encode(german, 'utf-16be'))),
        'base64',
      ),
    ],
    ['iso-2022-kr', '안녕', typed('text/plain; charset=iso-2022-kr', '\x1b$)C\x0e>H3g\x0f')],
    ['hz', '己所不欲', typed('text/plain; charset=hz-gb-2312', '~{<:Ky2;S{~}')],
    ['iso-8859-2', 'ąę', typed('text/plain; charset=iso-8859-2', '\xb1\xea')],
    ['x-mac-roman', 'é', typed('text/plain; charset=macintosh', '\x8e')],
  ])('is read as what it is: %s', async (_what, text, raw) => {
    expect((await parseMessage(raw)).text?.trim()).toBe(text);
  });

  it.each<[string, string, Buffer]>([
    [
      'of an undeclared part',
      german,
      joined(
        'Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\n',
        windows,
        '\n--b\nContent-Type: text/html\n\n<p>',
        windows,
        '</p>\n--b--\n',
      ),
    ],
    [
      'of a page that names its charset',
      'ąę',
      typed('text/html', '<html><head><meta charset=iso-8859-2></head><p>\xb1\xea</p>'),
    ],
    [
      'of a page that names it in http-equiv',
      'я',
      typed(
        'text/html',
        '<META http-equiv="Content-Type" content="text/html; charset=koi8-r"><p>\xd1</p>',
      ),
    ],
    ['with a malformed type', 'body of the message', typed('text', 'body of the message\n')],
    ['with an empty type', 'x y', typed('', 'x y\n')],
    ['with a type of many words', 'x y', typed('plain text; charset=utf-8', 'x y\n')],
    [
      'with blanks behind soft line breaks',
      'The price is 100 Euro',
      typed('text/plain', 'The price is 1=  \r\n00 Eu=\t\r\nro', 'quoted-printable'),
    ],
    [
      'with base64 behind its padding',
      'Hello World',
      typed('text/plain', `${base64(utf8('Hello'))}\n${base64(utf8(' World'))}`, 'base64'),
    ],
    [
      'with a footer behind base64',
      'Hello\n____\nThe list',
      typed('text/plain', `${base64(utf8('Hello'))}\n____\nThe list`, 'base64'),
    ],
    [
      'without an empty line above',
      'Hello, this is\nmine',
      joined('Subject: s\nContent-Type: text/plain\nHello, this is\nmine\n'),
    ],
    [
      'without an empty line above, with one below',
      'Hello, this is\n\nFrom: me',
      joined('From: a@x.test\nSubject: s\nHello, this is\n\nFrom: me\n'),
    ],
    [
      'of a part without an empty line above',
      'Hello, this\nis it',
      joined(
        'Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\nHello, this\nis it\n--b--\n',
      ),
    ],
    [
      'of a part without a head',
      'Hello, you',
      joined('Content-Type: multipart/mixed; boundary=b\n\n--b\nHello, you\n--b--\n'),
    ],
    [
      'of a part right below the head',
      'Hello',
      joined(
        'Subject: s\r\nContent-Type: multipart/mixed; boundary=b\r\n--b\r\n\r\nHello\r\n--b--\r\n',
      ),
    ],
    [
      'below a line that is no field',
      'x',
      joined('Subject: s\nthis is odd\nFrom: a@x.test\n\nx\n'),
    ],
  ])('is shown: %s', async (_what, text, raw) => {
    expect((await parseMessage(raw)).text?.trim()).toBe(text);
  });

  it.each([
    [
      'an answer within a quote',
      '> Could you tell us the number and also \nOrder 4711.\n> the date?\n1 May.',
      '> Could you tell us the number and also \nOrder 4711.\n> the date?\n1 May.',
    ],
    [
      'paragraphs',
      'My order but the \nbox was open. \n\nA new one \nplease. \n\nThanks',
      'My order but the box was open. \n\nA new one please. \n\nThanks',
    ],
    ['a quote that goes on', '> one \n> two\n>> three \n>>four', '> one two\n>> three four'],
    ['a signature', 'Bye \n-- \nAnn \nLee', 'Bye \n-- \nAnn Lee'],
    ['stuffed lines', ' From here \n >quoted? \nyes', 'From here >quoted? yes'],
  ])('in format=flowed keeps %s', async (_what, given, shown) => {
    const raw = typed('text/plain; charset=utf-8; format=flowed', given.replaceAll('\n', '\r\n'));
    expect((await parseMessage(raw)).text).toBe(`${shown}\n`);
  });

  it('takes the blank of a soft break off where that is said', async () => {
    const flowed = utf8(
      'Content-Type: text/plain; charset=utf-8; format=flowed; delsp=yes\n\n日本 \n語\nx',
    );
    expect((await parseMessage(flowed)).text).toBe('日本語\nx\n');
  });
});

describe('a head', () => {
  it.each<[string, string, Buffer]>([
    ['windows-1252', 'Réunion', latin1('Subject: Réunion\n\nx')],
    ['UTF-8', 'Réunion', utf8('Subject: Réunion\n\nx')],
    [
      'another charset than the text',
      'Réunion',
      joined('Content-Type: text/plain; charset=utf-8\nSubject: Réunion\n\n', utf8('é')),
    ],
    ['lines of two charsets', 'Réunion', joined(utf8('X-Relay: é\n'), 'Subject: Réunion\n\nx')],
    [
      'the charset of its text',
      'ąę',
      joined('Subject: \xb1\xea\nContent-Type: text/plain; charset=iso-8859-2\n\nx'),
    ],
    [
      'undeclared Cyrillic',
      russian,
      joined('Subject: ', iconv.encode(russian, 'windows-1251'), '\n\nx'),
    ],
    [
      'undeclared Japanese',
      japanese,
      joined('Subject: ', iconv.encode(japanese, 'shift_jis'), '\n\nx'),
    ],
    [
      'words cut within a character',
      '請求書を送付',
      joined('Subject: =?utf-8?B?6KuL5rGC5pu444I=?=\n =?utf-8?B?kumAgeS7mA==?=\n\nx'),
    ],
    [
      'words of both encodings',
      'Grüße',
      joined('Subject: =?utf-8?Q?Gr=C3?= =?UTF-8?B?vMOfZQ==?=\n\nx'),
    ],
    [
      'words of two charsets',
      'üü',
      joined('Subject: =?utf-8?Q?=C3=BC?= =?iso-8859-1?Q?=FC?=\n\nx'),
    ],
    [
      'a word with a question mark',
      'Was? Grüße? Ja',
      joined('Subject: =?utf-8?Q?Was?_Gr=C3=BC=C3=9Fe?=20Ja?=\n\nx'),
    ],
    ['a word in cp850', 'ü', joined('Subject: =?cp850?Q?=81?=\n\nx')],
    ['a word with a language', 'a b', joined('Subject: =?us-ascii*en?Q?a_b?=\n\nx')],
    ['a word that does not end', '=?utf-8?Q?a b', joined('Subject: =?utf-8?Q?a b\n\nx')],
    [
      'one that ends behind another',
      '=?utf-8?Q?a b',
      joined('Subject: =?utf-8?Q?a =?utf-8?Q?b?=\n\nx'),
    ],
  ])('is read: %s', async (_what, subject, raw) => {
    expect((await parseMessage(raw)).subject).toBe(subject);
  });

  it.each([
    ['in windows-1252, of a text', 'filename="\xdcbersicht.txt"', 'Übersicht.txt'],
    ['in windows-1252', 'filename="\xdcbersicht.pdf"', 'Übersicht.pdf'],
    ['in UTF-8', 'filename="\xc3\x9cbersicht.pdf"', 'Übersicht.pdf'],
    [
      'in words cut within a character',
      'filename="=?utf-8?B?w5xiZXJzaWNodMM=?= =?utf-8?B?vC5wZGY=?="',
      'Übersichtü.pdf',
    ],
  ])('names a file %s', async (_what, disposition, name) => {
    const raw = `Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; charset=iso-8859-1\n\nhi\n--b\n${disposition.includes('.txt') ? '' : 'Content-Type: application/pdf\n'}Content-Disposition: attachment; ${disposition}\n\nx\n--b--\n`;
    expect((await parseMessage(latin1(raw))).attachments.map(({ filename }) => filename)).toEqual([
      name,
    ]);
  });

  it('is decoded in linear time', async () => {
    for (const unit of ['=?a?q?', '=?a?q?x?=41', '=?a?q?x ', '=?utf-8?b?YQ==?= ']) {
      const words = unit.repeat(400_000 / unit.length);
      expect((await parseMessage(latin1(`Subject: ${words}\n\nx`))).text).toBe('x\n');
    }
  });
});

describe('an alternative', () => {
  const message = (...parts: string[]) =>
    latin1(
      `Content-Type: multipart/alternative; boundary=b\n\n${parts.map((part) => `--b\n${part}\n`).join('')}--b--\n`,
    );
  const plain = 'Content-Type: text/plain\n\nplain';

  it.each(['text/x-amp-html; charset=utf-8', 'text/enriched', 'text/watch-html'])(
    'that nobody is shown is no file: %s',
    async (type) => {
      const raw = message(
        plain,
        `Content-Type: ${type}\n\n<html amp4email></html>`,
        'Content-Type: text/html\n\n<p>rich</p>',
      );
      expect(await parseMessage(raw)).toMatchObject({
        text: 'plain\n',
        html: '<p>rich</p>\n',
        attachments: [],
      });
    },
  );

  it.each(['text/calendar', 'application/pdf', 'text/x-log; name=x.log'])(
    'stays a file: %s',
    async (type) => {
      expect(
        (await parseMessage(message(plain, `Content-Type: ${type}\n\nx`))).attachments,
      ).toHaveLength(1);
    },
  );
});

describe('the new text of a reply in HTML', () => {
  const html = (subject: string, body: string) =>
    joined(`Subject: ${subject}\nContent-Type: text/html; charset=utf-8\n\n`, utf8(body));
  const own = '<div>It works now.</div>';

  it.each([
    '<hr style="width:98%"><div id="divRplyFwdMsg" dir="ltr"><b>Fra:</b> S<br><b>Sendt:</b> tirsdag</div><div>Old.</div>',
    '<div id="appendonsend"></div><hr><div id="x_divRplyFwdMsg">Von: S</div><p>Old.</p>',
    '<div class="ydp1a2yahoo_quoted" id="ydp1a2yahoo_quoted_123"><div>am Montag schrieb S:</div><p>Old.</p></div>',
    '<div id="yahoo_quoted_99" class="yahoo_quoted">Old.</div>',
    '<div id="mail-editor-reference-message-container"><p>Old.</p></div>',
  ])('leaves out %s', async (quote) => {
    expect((await parseMessage(html('SV: x', own + quote))).extractedText?.trim()).toBe(
      'It works now.',
    );
    expect((await parseMessage(html('VS: x', own + quote))).extractedText).toMatch(/Old\.|schrieb/);
  });

  it('keeps what is written below a quote that ends', async () => {
    const raw = html('Re: x', `${own}<div class="yahoo_quoted">Old.</div><p>PS: thanks</p>`);
    expect((await parseMessage(raw)).extractedText).toMatch(/now\.\s+PS: thanks/);
  });

  it('depends on the messages it refers to where its subject says nothing', async () => {
    const head = 'In-Reply-To: <a@x.test>\nSubject: Order\n\n';
    const text = 'Yes.\n\nFrom: S <s@x.test>\nSent: Monday\nTo: A\n\nOld.\n';
    expect(await parseMessage(latin1(head + text))).toMatchObject({
      extractedText: 'Yes.\n',
      extractedFromStranger: text,
    });
  });
});

it('writes the addresses of links in the text of a page, and not in its preview', async () => {
  const raw = latin1(
    'Content-Type: text/html\n\n<p>Pay <a href="https://x.test/pay?a=1&amp;b=2">here</a>, <a href="https://x.test/">https://x.test/</a></p>',
  );
  expect(await parseMessage(raw)).toMatchObject({
    text: 'Pay here [https://x.test/pay?a=1&b=2], https://x.test/',
    preview: 'Pay here, https://x.test/',
  });
});
