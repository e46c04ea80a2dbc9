import { Participant } from '../answers.js';
import {
  Count,
  Email,
  Flag,
  Id,
  Instant,
  ListOf,
  OneOf,
  Part,
  Text,
  Texts,
  Version,
} from '../fields/index.js';
import { labelsMax } from '../labels-max.js';
import { Message } from './message.js';

export const conversationStatuses = ['open', 'pending', 'closed'] as const;
export const placements = ['inbox', 'archived', 'trash', 'spam'] as const;

export type ConversationStatus = (typeof conversationStatuses)[number];
export type Placement = (typeof placements)[number];

/** A conversation as lists show it (`decisions.md` §4). */
export class ConversationItem {
  @Id('cnv', 'The conversation.')
  id!: string;

  @Email('The mailbox it belongs to.')
  mailbox!: string;

  @Text('Subject of its first message.', { max: 998 })
  subject!: string;

  @Text('Start of the newest message, plain.', { max: 200 })
  preview!: string;

  @OneOf(conversationStatuses, 'Where the work on it stands.')
  status!: ConversationStatus;

  @OneOf(placements, 'Where it is kept.')
  placement!: Placement;

  @Email('The member it is assigned to.', { nullable: true })
  assignee!: string | null;

  @Id('tea', 'The team it is assigned to.', { nullable: true })
  teamId!: string | null;

  @Texts('Its labels, as the mailbox writes them.', { max: labelsMax, each: 128 })
  labels!: string[];

  @Flag('Whether the newest message has not been read.')
  unread!: boolean;

  @Count('Messages.', { max: 1_000_000 })
  messageCount!: number;

  @Count('Internal comments.', { max: 1_000_000 })
  commentCount!: number;

  @Count('Open drafts.', { max: 1_000_000 })
  draftCount!: number;

  @Flag('Whether any message has an attachment that is not inline.')
  hasAttachments!: boolean;

  @ListOf(() => Participant, 'Who took part, first come first; at most 50.', { max: 50 })
  participants!: Participant[];

  @Part(() => Participant, 'The last outside sender.', { nullable: true })
  from!: Participant | null;

  @Id('msg', 'The newest message.', { nullable: true })
  lastMessageId!: string | null;

  @Instant('Arrival of the newest message.')
  lastMessageAt!: string;

  @Instant('Since when the correspondent waits for an answer.', { nullable: true })
  waitingSince!: string | null;

  @Instant('Until when it is hidden for the member of this key.', { nullable: true })
  snoozedUntil!: string | null;

  @Instant('Creation.')
  createdAt!: string;

  @Instant('Last change.')
  updatedAt!: string;

  @Version()
  version!: number;
}

/** A contact beside mail. */
export class ConversationContact {
  @Id('ctc', 'The contact.')
  id!: string;

  @Text('Its name.', { max: 120 })
  name!: string;
}

/** A conversation as a list answers it. */
export class ListedConversation extends ConversationItem {
  @Part(
    () => ConversationContact,
    'The contact of its outside sender; null where there is none that the caller may read.',
    { nullable: true },
  )
  contact!: ConversationContact | null;
}

/** Author of a comment. */
export class Author {
  @OneOf(['key', 'member'], 'Whether an API key or a signed-in member wrote.')
  type!: 'key' | 'member';

  @Text('The key or the member.', { max: 30 })
  id!: string;

  @Text('Name of the key or member.', { max: 200 })
  name!: string;

  @Email('Address of the member behind it.', { nullable: true })
  email!: string | null;
}

/** An internal comment: seen by the team, never sent to the correspondent. */
export class Comment {
  @Id('cmt', 'The comment.')
  id!: string;

  @Part(() => Author, 'Who wrote it.')
  author!: Author;

  @Text('What it says.', { max: 10_000 })
  text!: string;

  @Instant('When it was written.')
  createdAt!: string;
}

/** The word of an agent or a person that it is answering a conversation. */
export class ConversationLease {
  @Part(() => Author, 'The key or member that answers.')
  by!: Author;

  @Instant('Until when, unless it is renewed or released before.')
  until!: string;
}

/** A task linked to a conversation. */
export class TaskLink {
  @Text('The task.', { max: 30 })
  id!: string;

  @Text('Its title.', { max: 200 })
  title!: string;
}

/** A calendar event linked to a conversation. */
export class EventLink {
  @Text('The event.', { max: 30 })
  id!: string;

  @Text('Its title.', { max: 200 })
  title!: string;
}

/** Resources that are linked to a conversation. */
export class ConversationLinks {
  @ListOf(() => TaskLink, 'Tasks.', { max: 1000 })
  tasks!: TaskLink[];

  @ListOf(() => EventLink, 'Calendar events.', { max: 1000 })
  events!: EventLink[];
}

/** A conversation whole: its messages and comments. */
export class Conversation extends ListedConversation {
  @ListOf(() => Message, 'The full thread, oldest first.', { max: 1_000_000 })
  messages!: Message[];

  @Flag(
    'True when something of the oldest messages was left out: bodies beyond the newest 200 or 32 MiB, addresses and files beyond 32 MiB.',
  )
  messagesTruncated!: boolean;

  @ListOf(() => Comment, 'Internal comments, oldest first.', { max: 1_000_000 })
  comments!: Comment[];

  @Part(() => ConversationLinks, 'Linked resources.')
  links!: ConversationLinks;

  @Part(
    () => ConversationLease,
    'The key or member that has said to be answering it; null when there is none.',
    {
      nullable: true,
    },
  )
  leasedBy!: ConversationLease | null;
}
