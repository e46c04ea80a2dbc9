import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  conversations,
  search,
  triage,
  type SearchAnswer,
  type SearchResult,
} from '@postroom/contracts';
import type { ParsedMessage } from '@postroom/mime';
import { aKey } from '@postroom/service-testing';
import { repetitions } from '@postroom/testing/repetitions';
import fc from 'fast-check';
import { Deliveries } from '../testing/arrivals.js';
import { MailService, type Answer, type MailboxOf } from '../testing/mail-service.js';
import { searchDocument } from './search-document.js';

let service: MailService;
let deliveries: Deliveries;
let mailbox: MailboxOf;

beforeAll(async () => {
  service = await MailService.start();
  deliveries = await Deliveries.open(service.database.urls.mail);
  mailbox = await service.mailbox({ automation: false });
});

afterAll(async () => {
  await deliveries.close();
  await service.close();
});

const ask = (
  q: string,
  limit = 25,
  { address, caller }: MailboxOf = mailbox,
  pageToken?: string | null,
): Promise<Answer<SearchAnswer>> =>
  service.call(
    search.conversations,
    { mailbox: address, q, limit, ...(pageToken && { pageToken }) },
    { caller },
  );

const find = async (q: string, limit = 25, of = mailbox): Promise<SearchResult[]> => {
  const answer = await ask(q, limit, of);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.results;
};

/** A message by a name that only tests know it by, its conversation's id. */
const place = (given: Partial<ParsedMessage>, of = mailbox): Promise<string> =>
  deliveries.place(of, given);

const set = (id: string, assignment: string, ...values: unknown[]): Promise<unknown> =>
  service.admin.query(`UPDATE conversations SET ${assignment} WHERE id = $1`, [id, ...values]);

const idsOf = (results: readonly SearchResult[]): string[] =>
  results.map(({ conversationId }) => conversationId);

describe('search.conversations', () => {
  it('finds a message by its subject, sender, recipients and text', async () => {
    const id = await place({
      subject: 'Alphasubject here',
      from: { email: 'zed@alphasender.example', name: 'Zoé Alphaname' },
      to: [{ email: 'ops@alpharecipient.example', name: null }],
      cc: [{ email: 'copy@alphacopy.example', name: null }],
      text: 'Before. Alphatext stands here.',
    });
    for (const word of ['alphasubject', 'alphasender', 'alphaname', 'alpharecipient', 'alphacopy'])
      expect(idsOf(await find(word))).toEqual([id]);
    const [found] = await find('alphatext alphasubject');
    expect(found).toMatchObject({
      conversationId: id,
      subject: 'Alphasubject here',
      from: { email: 'zed@alphasender.example', name: 'Zoé Alphaname' },
      labels: [],
      score: 0.7,
      matchedIn: ['subject', 'text'],
      highlights: {
        subject: ['«Alphasubject» here'],
        from: [],
        text: ['Before. «Alphatext» stands here.'],
      },
    });
  });

  it('finds file names, Reply-To, links and comments, and copies apart', async () => {
    const file = { mimeType: 'application/pdf', declaredMimeType: null, size: 1, contentId: null };
    const id = await place({
      cc: [{ email: 'gammacopy@x.test', name: null }],
      replyTo: [{ email: 'gammareply@x.test', name: null }],
      html: '<p>Pay <a href="https://x.test/gammalink?a=1&amp;gammaquery=2">here</a></p>',
      text: 'Pay here',
      attachments: [{ ...file, filename: 'gammafile-2026.pdf', inline: false }],
    });
    const { address } = mailbox;
    const input = { id, mailbox: address, text: 'Please ask gammacomment' };
    const asked = { caller: mailbox.caller, idempotencyKey: 'gamma-comment-1' };
    expect((await service.call(conversations.comment, input, asked)).status).toBe(200);
    for (const q of [
      ...['gammafile', 'filename:gammafile', 'gammareply', 'from:gammareply', 'gammalink'],
      ...['gammaquery', 'gammacomment', '"ask gammacomment"', 'cc:gammacopy', 'to:gammacopy'],
    ]) {
      expect([q, idsOf(await find(q))]).toEqual([q, [id]]);
    }
    for (const q of ['filename:gammareply', 'cc:gammareply', 'subject:gammafile']) {
      expect([q, await find(q)]).toEqual([q, []]);
    }
  });

  it.each(['trash', 'spam'] as const)(
    'finds what is in %s where the query says so',
    async (where) => {
      const id = await place({ text: `deltaword ${where}` });
      await set(id, 'placement = $2', where);
      expect(idsOf(await find(`deltaword ${where} in:${where}`))).toEqual([id]);
      expect(await find(`deltaword ${where}`)).toEqual([]);
      expect(await find(`deltaword ${where} in:inbox`)).toEqual([]);
      expect(idsOf(await find(`deltaword in:${where} -in:inbox`))).toEqual([id]);
    },
  );

  it('ignores accents and case, both ways', async () => {
    const id = await place({ text: 'Le reçu de la SŒUR à Straße, été Łódź bétacase' });
    for (const q of ['RECU bétacase', 'reçu betacase', 'soeur betacase', 'strasse betacase'])
      expect(idsOf(await find(q))).toEqual([id]);
    expect(idsOf(await find('ete lodz bétacase'))).toEqual([id]);
  });

  it('takes only the last word for the beginning of one', async () => {
    const id = await place({ text: 'gammaword deltaword' });
    expect(idsOf(await find('gammaword delt'))).toEqual([id]);
    expect(await find('gammaw deltaword')).toEqual([]);
    expect(await find('"gammaw"')).toEqual([]);
  });

  it('finds phrases, and none across two fields', async () => {
    const id = await place({ subject: 'epsilon one', text: 'two three epsilon' });
    expect(idsOf(await find('"two three epsilon"'))).toEqual([id]);
    expect(await find('"three two" epsilon')).toEqual([]);
    expect(await find('"one two" epsilon')).toEqual([]);
    expect(idsOf(await find('subject:"epsilon one"'))).toEqual([id]);
  });

  it('leaves out what is negated', async () => {
    const here = await place({ text: 'zetaword apples' });
    const there = await place({ text: 'zetaword pears' });
    expect(idsOf(await find('zetaword -pears'))).toEqual([here]);
    expect(idsOf(await find('zetaword -"apples"'))).toEqual([there]);
    expect(idsOf(await find('-zetaword', 100))).not.toContain(here);
  });

  it('finds by operators of a message', async () => {
    const id = await place({
      subject: 'etaword report',
      from: { email: 'bob@etafrom.example', name: 'Bob' },
      to: [{ email: 'team@etato.example', name: 'The Team' }],
      text: 'bob is in the text only elsewhere',
      attachments: [
        {
          filename: 'a.pdf',
          mimeType: 'application/pdf',
          declaredMimeType: null,
          size: 3,
          inline: false,
          contentId: null,
        },
      ],
    });
    const other = await place({ subject: 'etaword', text: 'bob report' });
    expect(idsOf(await find('etaword from:bob'))).toEqual([id]);
    expect(idsOf(await find('etaword FROM:bob@etafrom.example'))).toEqual([id]);
    expect(idsOf(await find('etaword to:"the team"'))).toEqual([id]);
    expect(idsOf(await find('etaword subject:report'))).toEqual([id]);
    expect(idsOf(await find('etaword has:attachment'))).toEqual([id]);
    expect(idsOf(await find('etaword -has:attachment'))).toEqual([other]);
    expect(idsOf(await find('etaword -from:bob'))).toEqual([other]);
    const year = new Date().getUTCFullYear();
    expect(idsOf(await find(`etaword after:${year - 1}-01-01`))).toEqual([other, id]);
    expect(await find(`etaword before:${year - 1}-01-01`)).toEqual([]);
    expect(idsOf(await find(`etaword -before:${year - 1}-01-01`))).toEqual([other, id]);
  });

  it('finds by operators of the conversation', async () => {
    const a = await place({ text: 'thetaword' });
    const b = await place({ text: 'thetaword' });
    await set(a, 'assignee = $2, status = $3, unread = false', ...['claire@acme.test', 'pending']);
    const { address, caller } = mailbox;
    const labelled = { id: a, mailbox: address, add: ['À relancer'], remove: [] };
    expect(await service.call(triage.label, labelled, { caller })).toMatchObject({ status: 200 });
    await set(b, `placement = 'archived'`);
    expect(idsOf(await find('thetaword label:"à Relancer"'))).toEqual([a]);
    expect(idsOf(await find('thetaword -label:"à relancer"'))).toEqual([b]);
    expect(idsOf(await find('thetaword assignee:claire'))).toEqual([a]);
    expect(idsOf(await find('thetaword assignee:Claire@acme.test'))).toEqual([a]);
    expect(idsOf(await find('thetaword assignee:none'))).toEqual([b]);
    expect(idsOf(await find('thetaword -assignee:none'))).toEqual([a]);
    expect(idsOf(await find('thetaword is:unread'))).toEqual([b]);
    expect(idsOf(await find('thetaword -is:unread'))).toEqual([a]);
    expect(idsOf(await find('thetaword is:pending'))).toEqual([a]);
    expect(idsOf(await find('thetaword is:open'))).toEqual([b]);
    expect(await find('thetaword is:open is:pending')).toEqual([]);
    expect(idsOf(await find('thetaword is:archived'))).toEqual([b]);
    expect(idsOf(await find('thetaword -is:archived'))).toEqual([a]);
    expect(idsOf(await find('label:"À RELANCER"'))).toEqual([a]);
    expect(idsOf(await find('label:"à relancer" assignee:claire is:pending'))).toEqual([a]);
    expect(await find('label:"à relancer" is:unread')).toEqual([]);
    expect(idsOf(await find('assignee:claire'))).toEqual([a]);
    expect(await find('assignee:claire assignee:none')).toEqual([]);
    expect(idsOf(await find('assignee:none is:archived is:unread', 100))).toContain(b);
    expect((await find('label:"À RELANCER"'))[0]).toMatchObject({
      score: 0,
      matchedIn: [],
      labels: ['À relancer'],
    });
  });

  it('leaves out trash and spam, whatever is asked', async () => {
    const id = await place({ text: 'iotaword' });
    for (const placement of ['trash', 'spam']) {
      await set(id, 'placement = $2', placement);
      expect(await find('iotaword')).toEqual([]);
      expect(idsOf(await find('is:open', 100))).not.toContain(id);
    }
  });

  it('searches as text what is no operator, or no value of one', async () => {
    const id = await place({ text: 'color:kappaword is:great before:tomorrow has:fun' });
    for (const q of ['color:kappaword', 'is:great', 'before:tomorrow', 'has:fun'])
      expect(idsOf(await find(q))).toEqual([id]);
    expect(await find('kappaword:color')).toEqual([]);
  });

  it('finds words of scripts without spaces, and of Korean without their endings', async () => {
    const id = await place({
      text: '東京都の配送について。주문을 확인했습니다. ขอบคุณมาก lambdaword',
    });
    for (const q of ['東京都', '京都', '配送', '"東京都の配送"', '주문', 'ขอบคุณ', '送', '都の'])
      expect(idsOf(await find(q))).toEqual([id]);
    expect(await find('東送')).toEqual([]);
    const [found] = await find('配送');
    expect(found?.highlights.text[0]).toContain('東京都の«配送»について');
  });

  it('answers one result a conversation, its newest message that matches, newest first', async () => {
    const first = await place({ messageId: 'mu1', text: 'muword one' });
    const second = await place({ text: 'muword other' });
    await place({ references: ['mu1'], text: 'muword two', subject: 'Re: mu' });
    await place({ references: ['mu1'], text: 'nothing of it' });
    const results = await find('muword');
    expect(idsOf(results)).toEqual([first, second]);
    expect(results[0]?.subject).toBe('Re: mu');
    expect(idsOf(await find('muword', 1))).toEqual([first]);
  });

  it('answers pages, on which mail that comes meanwhile repeats and hides nothing', async () => {
    const own = await service.mailbox({ automation: false });
    const ids: string[] = [];
    for (let i = 0; i < 5; i++)
      ids.push(await place({ messageId: `sigma${i}`, text: `sigmaword ${i}` }, own));
    await place({ references: ['sigma0'], text: 'sigmaword again' }, own);
    const ofPages = async (q: string, between: () => Promise<unknown>): Promise<string[]> => {
      const seen: string[] = [];
      for (let pageToken: string | null | undefined; pageToken !== null;) {
        const { body } = await ask(q, 2, own, pageToken);
        seen.push(...idsOf(body.results));
        pageToken = body.nextPageToken;
        await between();
      }
      return seen;
    };
    const newestFirst = [0, 4, 3, 2, 1].map((i) => ids[i]);
    const nothing = () => Promise.resolve();
    for (const q of ['is:open', 'sigmaword', 'sigmaword is:open', '"sigmaword" -nothing'])
      expect(await ofPages(q, nothing)).toEqual(newestFirst);
    const mail = async () => {
      // To one that was shown, and one that was not.
      for (const to of ['sigma0', 'sigma1'])
        await place({ references: [to], text: 'sigmaword' }, own);
    };
    expect(await ofPages('sigmaword', mail)).toEqual(newestFirst);
  });

  it('finds the pages of what is rare among much that is new', async () => {
    const own = await service.mailbox({ automation: false });
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.unshift(await place({ text: 'omicronword' }, own));
    for (let i = 0; i < 45; i++) await place({ text: 'something else' }, own);
    for (const q of ['"omicronword"', 'omicronword']) {
      const first = await ask(q, 2, own);
      const second = await ask(q, 2, own, first.body.nextPageToken);
      expect([...idsOf(first.body.results), ...idsOf(second.body.results)]).toEqual(ids);
      expect(second.body.nextPageToken).toBeNull();
    }
  });

  it('refuses the page token of another query, mailbox or workspace', async () => {
    for (let i = 0; i < 2; i++) await place({ text: 'upsilonword' });
    const { nextPageToken } = (await ask('upsilonword', 1)).body;
    const sibling = await service.mailbox({ tenantId: mailbox.tenantId });
    const stranger = { ...mailbox, caller: aKey() };
    expect((await ask('upsilonword', 25, mailbox, nextPageToken)).body.results).toHaveLength(1);
    for (const [q, of] of [
      ['upsilon', mailbox],
      ['upsilonword', sibling],
      ['upsilonword', stranger],
    ] as const)
      expect((await ask(q, 25, of, nextPageToken)).problem).toBe('INVALID_PAGE_TOKEN');
  });

  it('finds a whole word that only an old message has, behind all that is new', async () => {
    const id = await place({ text: 'piword' });
    const receivedAt = new Date(Date.now() - 400 * 24 * 3_600_000).toISOString();
    const old = { subject: '', from: null, to: [], cc: [], text: 'piword', hasAttachment: false };
    await service.admin.query(
      'UPDATE search_documents SET at = $2, document = $3::tsvector WHERE conversation_id = $1',
      [id, receivedAt, await searchDocument(old, { mailboxId: mailbox.id, receivedAt })],
    );
    for (let i = 0; i < 5; i++) await place({ text: 'something else' });
    for (const q of ['"piword"', 'piword', '"piword" -else'])
      expect(idsOf(await find(q))).toEqual([id]);
    expect(await find('"piword" else')).toEqual([]);
    expect(await find('"piwordnowhere"')).toEqual([]);
  });

  it('finds nothing where there is nothing to search for', async () => {
    for (const q of ['?!', '"', '-', '""', '- "" \\', ':', '«»']) expect(await find(q)).toEqual([]);
  });

  it('answers not found for a mailbox that the workspace has not', async () => {
    expect(await ask('x', 25, { ...mailbox, address: 'nobody@acme.test' })).toMatchObject({
      status: 404,
      problem: 'MAILBOX_NOT_FOUND',
    });
    const stranger = { ...mailbox, caller: aKey({ tenantId: 'ten_other' }) };
    expect(await ask('muword', 25, stranger)).toMatchObject({ problem: 'MAILBOX_NOT_FOUND' });
  });

  it('finds in its own mailbox only', async () => {
    const other = await service.mailbox({ tenantId: mailbox.tenantId, automation: false });
    const id = await place({ text: 'nuword' }, other);
    expect(await find('nuword')).toEqual([]);
    expect(idsOf(await find('nuword', 25, other))).toEqual([id]);
  });

  it('answers any query of any characters', async () => {
    await place({
      subject: 'from: "is" \\ \' «x» label',
      text: 'it\'s "quoted" \\ & | ! :* <-> é漢字',
    });
    const piece = fc.constantFrom(
      ...['"', '\\', "'", '-', ':', ' ', '&', '|', '!', '*', '<->', '(', ')', '«', '»', 'é', '漢'],
      ...['from:', 'is:', 'label:', 'assignee:', 'before:', '0000-01-01', '2024-02-30', 'is:open'],
      ...['it', 's', 'quoted', 'label', '9999-12-31', '\u{1f600}', 'ﬁ', '\u0301', 'ß', '\t', '\n'],
    );
    const queries = fc.oneof(
      fc.string({ minLength: 1, maxLength: 500, unit: 'grapheme' }),
      fc.array(piece, { minLength: 1, maxLength: 60 }).map((pieces) => pieces.join('')),
      piece.map((one) => [...one.repeat(500)].slice(0, 500).join('')),
    );
    await fc.assert(
      fc.asyncProperty(queries, async (q) => {
        expect((await ask(q)).status).toBe(200);
      }),
      { numRuns: repetitions(300) },
    );
  });
});
