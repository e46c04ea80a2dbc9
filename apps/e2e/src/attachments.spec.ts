import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { strangerOf, withoutRequest } from './sameness.js';
import { conversationOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

describe('downloading an attachment', () => {
  let place: Workplace;
  let mailbox: string;
  let key: OwnKey;

  beforeAll(async () => {
    place = await Workplace.open('acme');
    mailbox = await place.mailbox();
    key = await place.keyFor(mailbox);
  });

  /** The files of a message that has arrived. */
  const filesOf = async (attachments: readonly object[]) => {
    const { id } = await place.receive(key, mailbox, { attachments: [...attachments] });
    const whole = conversationOf(await key.get(`/v1/conversations/${id}`, { mailbox }));
    return whole.messages.flatMap((message) => message.attachments);
  };

  const download = async (id: string) => {
    const query = new URLSearchParams({ mailbox }).toString();
    const answer = await fetch(`${place.product.baseUrl}/v1/attachments/${id}?${query}`, {
      headers: { 'X-Api-Key': key.key },
    });
    return { answer, bytes: Buffer.from(await answer.arrayBuffer()) };
  };

  it.each([0, 1, 57, 5_000, 300_000, 6_000_000])(
    'answers %d bytes as they were sent',
    async (n) => {
      const content = randomBytes(n);
      const text = Buffer.from('line\r\n--\r\n-- \r\nFrom me\r\nend');
      const files = await filesOf([
        { filename: 'note.txt', content: text, contentTransferEncoding: '7bit' },
        { filename: 'data.bin', content },
        { filename: 'quoted.txt', content: 'é = è\n', contentTransferEncoding: 'quoted-printable' },
      ]);
      const found = await Promise.all(files.map(({ id }) => download(id)));
      const sent = [text, content, Buffer.from('é = è\n')];
      const plain = (bytes: Buffer): string => bytes.toString('hex').replaceAll('0d0a', '0a');
      expect(found.map(({ bytes }) => plain(bytes))).toEqual(sent.map(plain));
      expect(found.map(({ bytes }) => bytes.length)).toEqual(files.map(({ size }) => size));
    },
  );

  it('answers a download that no browser opens', async () => {
    const html = { filename: 'page.html', content: '<!doctype html><script>alert(1)</script>' };
    const [file] = await filesOf([html]);
    const { answer, bytes } = await download(file?.id ?? '');
    expect(answer.status).toBe(200);
    expect(bytes.toString()).toBe(html.content);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/plain',
      'content-disposition': 'attachment; filename="page.html"',
      'content-length': String(bytes.length),
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'x-ratelimit-limit': expect.any(String),
      'x-request-id': expect.any(String),
    });
  });

  it.each([
    [
      'Übersicht "Q1" 100%.pdf',
      `filename="_bersicht _Q1_ 100_.pdf"; filename*=UTF-8''%C3%9Cbersicht%20%22Q1%22%20100%25.pdf`,
    ],
    ["l'été (2).txt", `filename="l'_t_ (2).txt"; filename*=UTF-8''l%27%C3%A9t%C3%A9%20%282%29.txt`],
  ])('names the file %s in a header of ASCII', async (filename, shown) => {
    const [file] = await filesOf([{ filename, content: 'x' }]);
    const { answer } = await download(file?.id ?? '');
    expect(answer.headers.get('content-disposition')).toBe(`attachment; ${shown}`);
  });

  it('answers not found for what is not in the mailbox, and for another workspace’s', async () => {
    const [file] = await filesOf([{ filename: 'a.txt', content: 'x' }]);
    const id = file?.id ?? '';
    const other = await place.mailbox();
    const otherKey = await place.keyFor(other);
    const globex = await Workplace.open('globex');
    const own = await globex.mailbox();
    const stranger = await globex.keyFor(own);
    const unknown = strangerOf(id);
    const asked = [
      await key.get(`/v1/attachments/${unknown}`, { mailbox }),
      await key.get('/v1/attachments/no-id', { mailbox }),
      await otherKey.get(`/v1/attachments/${id}`, { mailbox: other }),
      await stranger.get(`/v1/attachments/${id}`, { mailbox: own }),
    ];
    expect(asked.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    const theirs = await stranger.get(`/v1/attachments/${id}`, { mailbox: own });
    expect(withoutRequest(theirs)).toEqual(
      withoutRequest(await stranger.get(`/v1/attachments/${unknown}`, { mailbox: own })),
    );
    const refused = await stranger.get(`/v1/attachments/${id}`, { mailbox });
    expect(refused.status).toBe(403);
  });
});
