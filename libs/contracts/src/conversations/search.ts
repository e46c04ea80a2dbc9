import { Participant } from '../answers.js';
import {
  Count,
  Email,
  Id,
  Instant,
  ListOf,
  MailboxName,
  PageToken,
  Part,
  Share,
  SomeOf,
  Text,
  Texts,
} from '../fields/index.js';
import { family, operation } from '../operation.js';

/** Fields of a message in which a search finds words. */
export const searchedFields = ['subject', 'from', 'to', 'text'] as const;

/** Results of a search that its pages show. */
export const pagedResultsMax = 1000;

export type SearchedField = (typeof searchedFields)[number];

const grammar = `\`q\` is what a person types:

- words, all of which one message must have in its subject, sender, \`Reply-To\`, recipients, text, links or
  file names, or in comments made while it was the newest; accents and case are ignored, and the last word may be the beginning of one;
- \`"a phrase"\`: words that follow each other; so are those written without a space between them
  (\`jean@example.com\`, \`l'avion\`);
- \`from:\` (\`Reply-To\` too), \`to:\` (copies too), \`cc:\`, \`subject:\`, \`filename:\` and words there;
  \`has:attachment\`;
- \`before:YYYY-MM-DD\`, \`after:YYYY-MM-DD\`: arrival of the message, UTC; the day belongs to after;
- \`label:\`, \`assignee:\` (an address, what stands before its @, \`none\` or \`me\`),
  \`is:unread|open|pending|closed|archived\`, \`in:inbox|archived|trash|spam\`: of the conversation;
- \`-\` before any of them: those without it.

A value with spaces stands in quotes. What is no operator, or no value of it, is searched as text.
Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese are found by overlapping pairs of characters.
Of a very long message the first 16,000 words are searched.

There is one result a conversation, in the inbox or archived, snoozed or not, in trash or spam only with
\`in:\`: its newest message that matches. Results are ordered by the arrival of that message, newest first. Pages show the
first ${pagedResultsMax.toLocaleString('en')} results; mail that comes meanwhile repeats and hides none, but moves a conversation to the
front where nothing but operators of conversations is asked.`;

/** Input of search. */
export class SearchConversations {
  @MailboxName('The mailbox.')
  mailbox!: string;

  @Text('What to search for.', { max: 500, filled: true })
  q!: string;

  @Count('Results at most.', { min: 1, max: 100, default: 25 })
  limit!: number;

  @PageToken()
  pageToken?: string;
}

/** Pieces of a message, plain, with `«` and `»` around what was searched. */
export class SearchHighlights {
  @Texts('The subject, when it has a hit.', { max: 1, each: 400 })
  subject!: string[];

  @Texts('The sender, when it has a hit.', { max: 1, each: 400 })
  from!: string[];

  @Texts(
    'Pieces of the text around its first hits. None of those past its first 100,000 characters, or, with a limit over 10, past a million divided by the limit.',
    { max: 3, each: 400 },
  )
  text!: string[];
}

/** A conversation that was found, and its newest message that matches. */
export class SearchResult {
  @Id('cnv', 'The conversation.')
  conversationId!: string;

  @Id('msg', 'Its newest message that matches.')
  messageId!: string;

  @Text('Subject of that message.', { max: 998 })
  subject!: string;

  @Text('Start of that message, plain.', { max: 200 })
  preview!: string;

  @Part(() => Participant, 'Its sender; null when it names none.', { nullable: true })
  from!: Participant | null;

  @Instant('Arrival of the newest message of the conversation.')
  lastMessageAt!: string;

  @Texts('Labels of the conversation.', { max: 10_000, each: 128 })
  labels!: string[];

  @Share(
    'How prominently it matches: the mean over the words sought of the best place where each stands ' +
      '(subject 1, sender 0.8, recipients 0.6, text 0.4); 0 without words. Not the order of results.',
  )
  score!: number;

  @SomeOf(searchedFields, 'Where words of the query stand.')
  matchedIn!: SearchedField[];

  @Part(() => SearchHighlights, 'What was found.')
  highlights!: SearchHighlights;
}

/** Hits of a search, newest first. */
export class SearchAnswer {
  @Email('The mailbox.')
  mailbox!: string;

  @Text('The query as it was given.', { max: 500 })
  query!: string;

  @ListOf(() => SearchResult, 'One result a conversation, newest first.', { max: 100 })
  results!: SearchResult[];

  @Text('Give it as `pageToken` for the next page; null on the last.', {
    max: 2000,
    nullable: true,
  })
  nextPageToken!: string | null;
}

/** Search in a shared mailbox (public-api.md §4). */
export const search = family('mail', 'search', {
  conversations: operation({
    http: 'GET /v1/search',
    scope: 'read:conversations',
    summary: 'Search the conversations of a mailbox, newest first',
    description: grammar,
    input: SearchConversations,
    output: SearchAnswer,
    mailbox: 'read',
    problems: ['INVALID_PAGE_TOKEN', 'MAILBOX_NOT_FOUND'],
  }),
});
