import { beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { deliverRaw } from './mail.js';
import { conversationOf, pageOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

/** Real mail kept beside the repository; not everyone has it. */
const corpus = fileURLToPath(new URL('../../../../shared/corpus/mail/', import.meta.url));
const found = existsSync(corpus);
const files = found ? readdirSync(corpus).filter((name) => name.endsWith('.eml')) : [];

(found ? describe : describe.skip)('real mail', () => {
  let place: Workplace;
  let key: OwnKey;
  let mailboxes: ReadonlyMap<string, string>;

  beforeAll(async () => {
    place = await Workplace.open('acme');
    const made = new Map<string, string>();
    for (const file of files) made.set(file, await place.mailbox());
    mailboxes = made;
    key = await place.key({
      mailboxes: [...made.values()].map((address) => ({ address, access: 'read' as const })),
    });
  });

  it.each(found ? files : ['none'])('%s arrives and is shown', async (file) => {
    const mailbox = mailboxes.get(file) ?? '';
    await deliverRaw(place.product, mailbox, await readFile(corpus + file));
    const { conversations } = pageOf(await key.get('/v1/conversations', { mailbox }));
    expect(conversations).toMatchObject([{ mailbox, messageCount: 1 }]);
    const id = conversations[0]?.id ?? '';
    const whole = conversationOf(await key.get(`/v1/conversations/${id}`, { mailbox }));
    expect(whole.messages).toHaveLength(1);
  });
});
