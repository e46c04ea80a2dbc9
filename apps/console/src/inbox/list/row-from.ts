import type { Conversation } from '@postroom/contracts';
import type { Row } from './rows.js';

/** The part of a whole conversation that lists show. */
export function rowFrom(conversation: Conversation): Row {
  const { messages: _m, messagesTruncated: _t, comments: _c, links: _l, ...row } = conversation;
  return row;
}
