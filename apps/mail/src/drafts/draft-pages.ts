import { Injectable } from '@nestjs/common';
import type { Draft, DraftPage, ListDrafts } from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { PageTokens, statement } from '@postroom/persistence';
import { requireMailboxExists } from '../conversations/index.js';
import { draftColumns } from './draft.view.js';

/** Bytes of a page, since a hundred large drafts are too much for one answer. */
const pageBytesMax = 4 * 1024 * 1024;

const list = statement<Draft & { more: boolean }>(
  'drafts.list',
  `SELECT ${draftColumns('(f.draft)', '$2::text')}, f.more
   FROM list_drafts($1, $2, $3, $4, $5, $6) f`,
);

/** Drafts of a mailbox, last changed first; one that is changed meanwhile is on the first page again. */
@Injectable()
export class DraftPages {
  constructor(private readonly tokens: PageTokens) {}

  async read(context: Reading, { mailbox, limit, pageToken }: ListDrafts): Promise<DraftPage> {
    const query = ['drafts.list', context.tenantId, mailbox];
    const [at = 'infinity', id = ''] = this.tokens.read(query, pageToken);
    const found = await context.rows(list, [mailbox, at, id, limit, pageBytesMax]);
    if (found.length === 0) await requireMailboxExists(context, mailbox);
    const last = found.at(-1);
    return {
      mailbox,
      drafts: found.map(({ more: _, ...draft }) => draft),
      truncated: last?.more ?? false,
      nextPageToken: last?.more ? this.tokens.issue(query, [last.updatedAt, last.id]) : null,
    };
  }
}
