import { Controller } from '@nestjs/common';
import { search, type SearchAnswer, type SearchConversations } from '@postroom/contracts';
import { Handles, type Reading } from '@postroom/operations';
import { requireMailbox } from '../conversations/index.js';
import { findConversations } from './find-conversations.js';
import { parseQuery } from './parse-query.js';

/** Search in a shared mailbox. */
@Controller()
export class SearchHandlers {
  @Handles(search.conversations)
  async conversations(context: Reading, input: SearchConversations): Promise<SearchAnswer> {
    const { mailbox, q, limit } = input;
    const results = await findConversations(context, { mailbox, query: parseQuery(q), limit });
    if (results.length === 0) await requireMailbox(context, mailbox);
    return { mailbox, query: q, results };
  }
}
