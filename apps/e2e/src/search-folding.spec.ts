import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { PublicApi } from './public-api.js';
import { recordOf, searchOf } from './wire.js';
import { Workplace } from './workplace.js';

const written = 'Œuvre Straße Łódź Rech\u00adnung l’été ＡＣＭＥ';

describe('a search of contacts, of mail and of tasks', () => {
  const mark = `m${randomUUID().replaceAll('-', '')}`;
  let mailbox: string;
  let api: PublicApi;

  /** True if contacts, mail and tasks have what is looked for. */
  async function found(word: string): Promise<Record<string, boolean>> {
    const q = `${word} ${mark}`;
    const [contacts, mail, tasks] = await Promise.all([
      api.get('/v1/contacts', { q }),
      api.get('/v1/search', { mailbox, q }),
      api.get('/v1/tasks', { q }),
    ]);
    return {
      contacts: recordOf(contacts)['total'] === 1,
      mail: searchOf(mail).results.length === 1,
      tasks: recordOf(tasks)['total'] === 1,
    };
  }

  beforeAll(async () => {
    const place = await Workplace.open('acme');
    mailbox = await place.mailbox();
    api = await place.keyFor(mailbox, {
      scopes: [
        ...['read:conversations', 'read:contacts', 'write:contacts', 'read:tasks', 'write:tasks'],
      ],
      member: place.tenant.member.email,
    });
    const { book } = recordOf(await place.settings.post('/address-books', { name: mark }));
    const { id: bookId } = book as { id: string };
    await api.post('/v1/contacts', { bookId, displayName: `${written} ${mark}` });
    await api.post('/v1/tasks', { title: `${written} ${mark}` });
    await place.receive(api, mailbox, { subject: `${written} ${mark}` });
  });

  it.each(['oeuvre', 'ŒUVRE', 'strasse', 'lodz', 'łódź', 'rechnung', 'ete', 'acme'])(
    'finds all three by one rule: %s',
    async (word) => {
      expect(await found(word)).toEqual({ contacts: true, mail: true, tasks: true });
    },
  );

  it('finds none of them by a word that they do not have', async () => {
    expect(await found('ouvre')).toEqual({ contacts: false, mail: false, tasks: false });
  });
});
