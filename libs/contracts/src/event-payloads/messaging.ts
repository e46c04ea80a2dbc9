import { Comment, ConversationItem, Message } from '../conversations/index.js';
import { Flag, Part } from '../fields/index.js';

/** What every event about a conversation says. */
export class ConversationEvent {
  @Part(() => ConversationItem, 'The conversation once it had happened.')
  conversation!: ConversationItem;
}

/** Data of `conversation.assigned`. */
export class ConversationAssigned extends ConversationEvent {}

/** Data of `conversation.labeled`. */
export class ConversationLabeled extends ConversationEvent {}

/** Data of `conversation.commented`. */
export class ConversationCommented extends ConversationEvent {
  @Part(() => Comment, 'The comment.')
  comment!: Comment;
}

/** What the events about a message say. */
class MessageEvent extends ConversationEvent {
  @Part(
    () => Message,
    'The message; a body over 64 KiB is left out of it, and the rest of lists over 256 KiB.',
  )
  message!: Message;

  @Flag('Whether a body, or the rest of a list, of the message was left out.')
  dataTruncated!: boolean;
}

/** Data of `conversation.received`. */
export class ConversationReceived extends MessageEvent {}

/** Data of `message.sent`. */
export class MessageSent extends MessageEvent {}
