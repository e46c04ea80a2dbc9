import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from './http.js';
import { deliver } from './mail.js';
import type { PublicApi } from './public-api.js';
import { assertRefusal } from './refusal.js';
import { withoutRequest } from './sameness.js';
import { recordOf, searchOf, type SearchResult } from './wire.js';
import { Workplace } from './workplace.js';

const path = '/v1/search';

/** It is there within a second; a busy machine takes longer. */
const foundWithinMs = 20_000;

describe('search.conversations', () => {
  let place: Workplace;
  let api: PublicApi;
  let mailbox: string;
  /** A word of every message of this suite. */
  const mark = `m${randomUUID().replaceAll('-', '')}`;

  const find = async (
    q: string,
    values: Record<string, number> = {},
  ): Promise<readonly SearchResult[]> =>
    searchOf(await api.get(path, { mailbox, q, ...values })).results;
  const subjects = async (q: string): Promise<string[]> =>
    (await find(q)).map(({ subject }) => subject).sort();
  const refusal = (values: Record<string, string | number>, status: number): Promise<Answer> =>
    api.get(path, values).then((answer) => {
      assertRefusal(answer, [status]);
      return answer;
    });

  beforeAll(async () => {
    place = await Workplace.open('acme');
    mailbox = await place.mailbox();
    api = await place.keyFor(mailbox);
    await place.receive(api, mailbox, {
      subject: 'Reçu de caisse',
      from: { name: 'Zoé Lefèvre', address: 'zoe@client.example' },
      text: `Le bœuf est arrivé à Łódź. ${mark} Un été «guillemets» \\ "cité".`,
      attachments: [{ filename: 'recu.pdf', content: '%PDF-1.4 test' }],
    });
    await place.receive(api, mailbox, {
      subject: 'Invoice overdue',
      from: { name: 'Bob Stone', address: 'bob.stone@vendor.example' },
      text: `Please pay the overdue invoice number 12. ${mark}`,
    });
    const archived = await place.receive(api, mailbox, {
      subject: 'Archived matter',
      text: `The beef is settled: 東京都の配送. ${mark}`,
    });
    await api.post(`/v1/conversations/${archived.id}/archive`, { mailbox });
  });

  it('answers mailbox, query and results of the published shape', async () => {
    const answer = await api.get(path, { mailbox, q: `overdue ${mark}` });
    expect(answer.status).toBe(200);
    expect(Object.keys(recordOf(answer)).sort()).toEqual(['mailbox', 'query', 'results']);
    expect(searchOf(answer)).toMatchObject({
      mailbox,
      query: `overdue ${mark}`,
      results: [
        {
          subject: 'Invoice overdue',
          from: { email: 'bob.stone@vendor.example', name: 'Bob Stone' },
          labels: [],
          score: 0.7,
          matchedIn: ['subject', 'text'],
          highlights: {
            subject: ['Invoice «overdue»'],
            from: [],
            text: [`Please pay the «overdue» invoice number 12. «${mark}»`],
          },
        },
      ],
    });
  });

  it.each([
    ['words without accents', 'lefevre recu ete', ['Reçu de caisse']],
    ['words with other case', 'ARRIVÉ BOEUF lodz', ['Reçu de caisse']],
    ['all of the words', 'overdue caisse', []],
    ['the beginning of the last word', 'invoice over', ['Invoice overdue']],
    ['no beginning of an earlier word', 'over invoice', []],
    ['a phrase', '"the overdue invoice"', ['Invoice overdue']],
    ['no words in another order', '"invoice the overdue"', []],
    ['words that are not there', '-invoice -beef', ['Reçu de caisse']],
    ['frequent words', 'the is', ['Archived matter']],
    ['an address', 'bob.stone@vendor.example', ['Invoice overdue']],
    ['from:', 'from:bob', ['Invoice overdue']],
    ['-from:', '-from:bob', ['Archived matter', 'Reçu de caisse']],
    ['subject:', 'subject:archived', ['Archived matter']],
    ['subject: of what is in the text only', 'subject:beef', []],
    ['has:attachment', 'has:attachment', ['Reçu de caisse']],
    ['is:archived', 'is:archived', ['Archived matter']],
    ['-is:archived', '-is:archived', ['Invoice overdue', 'Reçu de caisse']],
    ['is:closed', 'is:closed', []],
    ['is:open is:unread', 'is:open is:unread invoice', ['Invoice overdue']],
    ['assignee:none', 'assignee:none invoice', ['Invoice overdue']],
    ['assignee: of somebody', 'assignee:claire invoice', []],
    ['label: of nothing', 'label:urgent', []],
    ['-label:', '-label:urgent invoice', ['Invoice overdue']],
    ['before:', 'before:2020-01-01', []],
    ['after:', 'after:2020-01-01 invoice', ['Invoice overdue']],
    ['an unknown operator, as text', 'settled:東京都', ['Archived matter']],
    ['a bad value of an operator, as text', 'is:settled', ['Archived matter']],
    ['a script without spaces', '配送', ['Archived matter']],
    ['nothing to search for', '?! - "" \\', []],
  ])('finds %s', async (_what, q, expected) => {
    expect(await subjects(q)).toEqual(expected);
  });

  it('finds by to:, which has the mailbox in every message', async () => {
    expect(await subjects(`to:${mailbox} ${mark}`)).toHaveLength(3);
    expect(await subjects('to:somebody@else.example')).toEqual([]);
  });

  it('finds a message soon after its delivery', async () => {
    const word = `w${randomUUID().replaceAll('-', '')}`;
    await deliver(place.product, { to: mailbox, subject: 'Just now', text: word });
    const deadline = performance.now() + foundWithinMs;
    let found = await find(word);
    while (found.length === 0 && performance.now() < deadline) {
      await sleep(20);
      found = await find(word);
    }
    expect(found.map(({ subject }) => subject)).toEqual(['Just now']);
  });

  it('refuses what is no query', async () => {
    await refusal({ mailbox }, 400);
    await refusal({ mailbox, q: '' }, 400);
    await refusal({ mailbox, q: ' \t' }, 400);
    await refusal({ mailbox, q: 'é'.repeat(501) }, 400);
    await refusal({ mailbox, q: 'x', limit: 0 }, 400);
    await refusal({ mailbox, q: 'x', limit: 101 }, 400);
    await refusal({ mailbox, q: 'x', limit: 'ten' }, 400);
    await refusal({ q: 'x' }, 400);
    assertRefusal(await api.get(`${path}?mailbox=${mailbox}&q=x&q=y`), [400]);
    expect(searchOf(await api.get(path, { mailbox, q: 'é'.repeat(500) })).results).toEqual([]);
    expect(searchOf(await api.get(path, { mailbox, q: '\u{1f389}'.repeat(500) })).results).toEqual(
      [],
    );
  });

  it('answers 500 characters of operators, quotes and backslashes', async () => {
    const hostile = [
      '"',
      '\\',
      "'",
      '-',
      ':',
      '&',
      '|',
      '!',
      '(',
      ')',
      '<->',
      ':*',
      '%',
      '_',
      '«',
      '»',
      'from:',
      'is:',
      '-is:',
      'label:',
      'before:',
      'assignee:',
      '-"',
      '\\"',
      `' OR 1=1 --`,
      '𝕏',
      'a ',
      'e "b ',
      '-a ',
      'from:a ',
      'is:open ',
      '東',
      '\u0301',
      '\u200f',
    ];
    for (const piece of hostile) {
      const q = [...piece.repeat(500)].slice(0, 500).join('');
      const answer = await api.get(path, { mailbox, q });
      expect([answer.status, q === '' ? '' : searchOf(answer).query]).toEqual([200, q]);
    }
    const mixed = [...hostile.join('').repeat(10)].slice(0, 500).join('');
    expect((await api.get(path, { mailbox, q: mixed })).status).toBe(200);
  });

  it('refuses a mailbox that is not granted as one that is unknown', async () => {
    const other = await place.mailbox();
    const unknown = `nobody-${randomUUID()}@acme.test`;
    const [one, two] = [
      await refusal({ mailbox: other, q: 'x' }, 403),
      await refusal({ mailbox: unknown, q: 'x' }, 403),
    ];
    expect(withoutRequest(one)).toEqual(withoutRequest(two));
  });
});
