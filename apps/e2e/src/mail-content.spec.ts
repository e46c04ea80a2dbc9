import { beforeAll, describe, expect, it } from '@jest/globals';
import { attachmentFields, conversationOf, type Message } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

/** The smallest GIF and PNG there are. */
const gif = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64');
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('the content of a message', () => {
  let place: Workplace;
  let mailbox: string;
  let api: OwnKey;

  const received = async (mail: Parameters<Workplace['receive']>[2]): Promise<Message> => {
    const { id } = await place.receive(api, mailbox, mail);
    const { messages } = conversationOf(await api.get(`/v1/conversations/${id}`, { mailbox }));
    if (!messages[0]) throw new Error('A conversation without a message.');
    return messages[0];
  };

  beforeAll(async () => {
    place = await Workplace.open('acme');
    mailbox = await place.mailbox();
    api = await place.keyFor(mailbox);
  });

  describe('in HTML', () => {
    it('keeps what it says', async () => {
      const { html, text } = await received({
        text: 'In plain words',
        html: '<h1>Order</h1><p>Where is <b>my</b> <a href="https://shop.example/7">order</a>?</p>',
      });
      expect(html).toMatch(/<h1>Order<\/h1>/);
      expect(html).toMatch(/<b>my<\/b>/);
      expect(html).toMatch(/href="https:\/\/shop\.example\/7"/);
      expect(text?.trim()).toBe('In plain words');
    });

    it('tells of content from elsewhere', async () => {
      const remote = '<img src="https://tracker.example/1.gif">';
      expect(await received({ html: `<p>x</p>${remote}` })).toMatchObject({
        hasRemoteContent: true,
      });
      const local = '<img src="cid:logo"><a href="https://shop.example">x</a>';
      expect(await received({ html: local })).toMatchObject({ hasRemoteContent: false });
    });

    it('alone has a text too', async () => {
      const { text, html } = await received({ text: '', html: '<p>Only <i>this</i></p>' });
      expect(html).toContain('<i>this</i>');
      expect(text ?? '').toMatch(/^\s*(?:Only this\s*)?$/);
    });
  });

  describe('with files', () => {
    it('describes each: name, size and the type that its bytes show', async () => {
      const message = await received({
        attachments: [
          { filename: 'photo.txt', content: png, contentType: 'text/plain' },
          { filename: 'Résumé – 履歴書.pdf', content: '%PDF-1.4\n%%EOF\n', contentType: 'x/y' },
          { filename: 'notes.txt', content: 'Hello', contentType: 'text/plain' },
        ],
      });
      expect(message.attachments).toMatchObject([
        {
          filename: 'photo.txt',
          mimeType: 'image/png',
          declaredMimeType: 'text/plain',
          size: png.length,
          inline: false,
          contentId: null,
        },
        { filename: 'Résumé – 履歴書.pdf', mimeType: 'application/pdf', declaredMimeType: 'x/y' },
        { filename: 'notes.txt', mimeType: 'text/plain', size: 5 },
      ]);
      for (const attachment of message.attachments) {
        expect(attachment.id).toMatch(/^att_/);
        expect(Object.keys(attachment)).toEqual(expect.arrayContaining([...attachmentFields]));
      }
    });

    it('says so in the list, but not for what is shown inside', async () => {
      const file = { filename: 'a.txt', content: 'a' };
      const inside = { content: gif, cid: 'logo', contentDisposition: 'inline' as const };
      const html = '<img src="cid:logo">';
      const [none, shown, attached] = [
        await place.receive(api, mailbox),
        await place.receive(api, mailbox, { html, attachments: [inside] }),
        await place.receive(api, mailbox, { attachments: [file] }),
      ];
      expect(none.hasAttachments).toBe(false);
      expect(shown.hasAttachments).toBe(false);
      expect(attached.hasAttachments).toBe(true);
    });

    it('keeps an inline picture in its place', async () => {
      const { html, attachments } = await received({
        html: '<p>Our logo: <img src="cid:logo@acme"></p>',
        attachments: [{ filename: 'logo.gif', content: gif, cid: 'logo@acme' }],
      });
      expect(html).toContain('cid:logo@acme');
      expect(attachments).toMatchObject([
        { filename: 'logo.gif', mimeType: 'image/gif', inline: true, contentId: 'logo@acme' },
      ]);
    });

    it.each(['../../etc/passwd', 'C:\\Windows\\system.ini', '/etc/shadow', 'a/b/c.txt'])(
      'takes the path off a name: %s',
      async (filename) => {
        const { attachments } = await received({ attachments: [{ filename, content: 'x' }] });
        expect(attachments[0]?.filename).not.toMatch(/[/\\]/);
        expect(attachments[0]?.filename).toBe(filename.split(/[/\\]/).at(-1));
      },
    );
  });
});
