import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Answer } from './http.js';
import { deliver, newMessageId } from './mail.js';
import { type ConversationItem, type Page, pageOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

const path = '/v1/conversations';
const longAgo = '0001-01-01T00:00:00Z';

type Filters = Readonly<Record<string, string | number>>;

describe('conversations.list with filters', () => {
  let place: Workplace;
  let api: OwnKey;
  let mailbox: string;
  let member: string;
  /** Oldest first: inbox and assigned, archived and closed, inbox and pending with a label, inbox. */
  let items: readonly ConversationItem[];
  const messageIds = Array.from({ length: 4 }, newMessageId);

  const ask = (values: Filters): Promise<Answer> => api.get(path, { mailbox, ...values });
  const page = async (values: Filters): Promise<Page> => pageOf(await ask(values));
  const walk = async (
    values: Filters,
    between: () => Promise<unknown> = () => Promise.resolve(),
  ): Promise<ConversationItem[]> => {
    const seen: ConversationItem[] = [];
    for (let token: string | null = ''; token !== null;) {
      const next: Page = await page({ ...values, ...(token !== '' && { pageToken: token }) });
      seen.push(...next.conversations);
      token = next.nextPageToken;
      if (token !== null) await between();
    }
    return seen;
  };
  const numbersOf = (seen: readonly ConversationItem[]): number[] =>
    seen.map(({ id }) => items.findIndex((item) => item.id === id));
  const write = async (item: number, action: string, body: object = {}): Promise<void> => {
    const answer = await api.post(`${path}/${items[item]?.id}${action}`, { mailbox, ...body });
    if (answer.status !== 200) throw new Error(answer.text);
  };

  beforeAll(async () => {
    place = await Workplace.open('acme');
    mailbox = await place.mailbox();
    member = place.tenant.member.email;
    api = await place.keyFor(mailbox, { member });
    for (const messageId of messageIds) {
      await deliver(place.product, { to: mailbox, subject: randomUUID(), messageId });
    }
    items = (await page({})).conversations.toReversed();
    await write(0, '/assign', { assignee: member });
    await write(1, '/archive');
    await write(1, '/assign', { status: 'closed' });
    await write(2, '/assign', { status: 'pending' });
    await write(2, '/labels', { add: ['Zone Nord'] });
  });

  it.each<[Filters, number[]]>([
    [{}, [3, 2, 0]],
    [{ placement: 'inbox' }, [3, 2, 0]],
    [{ placement: 'archived' }, [1]],
    [{ placement: 'trash' }, []],
    [{ placement: 'spam' }, []],
    [{ placement: 'all' }, [3, 2, 1, 0]],
    [{ status: 'open' }, [3, 0]],
    [{ status: 'closed' }, []],
    [{ placement: 'all', status: 'closed' }, [1]],
    [{ assignee: 'none' }, [3, 2]],
    [{ placement: 'all', assignee: 'none', status: 'closed' }, [1]],
    [{ label: 'zone nord' }, [2]],
    [{ label: ' ＺＯＮＥ\u3000nord' }, [2]],
    [{ label: 'zone nord', status: 'open' }, []],
    [{ label: 'unknown' }, []],
    [{ assignee: 'nobody@acme.test' }, []],
    [{ placement: 'all', updatedSince: longAgo }, [3, 0, 1, 2]],
    [{ placement: 'all', updatedSince: longAgo, label: 'Zone Nord' }, [2]],
    [{ updatedSince: '9999-12-31T23:59:59.9999999Z' }, []],
  ])('%j shows what it asks for, page by page', async (filters, expected) => {
    expect(numbersOf((await page(filters)).conversations)).toEqual(expected);
    expect(numbersOf(await walk({ ...filters, limit: 1 }))).toEqual(expected);
  });

  it('finds the assignee in any letter case', async () => {
    expect(numbersOf(await walk({ assignee: member.toUpperCase() }))).toEqual([0]);
  });

  it('refuses a page token of another query', async () => {
    const filters: Filters[] = [
      {},
      { placement: 'all' },
      { status: 'open' },
      { assignee: 'none' },
      { placement: 'all', updatedSince: longAgo },
    ];
    for (const from of filters) {
      const pageToken = (await page({ ...from, limit: 1 })).nextPageToken ?? '';
      for (const to of filters) {
        const { status } = await ask({ ...to, pageToken, limit: 2 });
        expect([from, to, status]).toEqual([from, to, from === to ? 200 : 400]);
      }
    }
  });
});
