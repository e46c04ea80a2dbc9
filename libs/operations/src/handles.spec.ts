import { describe, expect, it } from '@jest/globals';
import {
  conversations,
  Problem,
  type ArchiveAnswer,
  type ArchiveConversation,
  type CommentAnswer,
  type CommentOnConversation,
  type ConversationPage,
  type ListConversations,
} from '@postroom/contracts';
import type { Changing, HandlerOf, Reading, Writing } from './context.js';
import { Handles } from './handles.js';
import { comment } from './testing/ledger.js';
import { commented } from './testing/payloads.js';

const { list, archive, comment: commentRow } = conversations;

const unwritten = (): never => {
  throw new Problem('INTERNAL');
};

/**
 * Every `@ts-expect-error` here is a guarantee that the compiler is asked to keep: the type check of
 * the specs fails on one that compiles.
 */
describe('Handles', () => {
  it('takes the handlers that fit their rows', () => {
    class Fitting {
      @Handles(list)
      list(_context: Reading, _input: ListConversations): Promise<ConversationPage> {
        return unwritten();
      }

      @Handles(archive)
      archive(
        _context: Writing<typeof archive>,
        _input: ArchiveConversation,
      ): Promise<ArchiveAnswer> {
        return unwritten();
      }

      // Less than is given may be taken: no event, no input.
      @Handles(commentRow)
      comment(_context: Writing): Promise<CommentAnswer> {
        return unwritten();
      }
    }
    expect(Object.getOwnPropertyNames(Fitting.prototype)).toContain('comment');
  });

  it('does not compile on a handler of another input', () => {
    class Wrong {
      // @ts-expect-error archive is given no text
      @Handles(archive)
      archive(
        _context: Writing<typeof archive>,
        _input: CommentOnConversation,
      ): Promise<ArchiveAnswer> {
        return unwritten();
      }

      // @ts-expect-error nor is anything a number that the operation calls a text
      @Handles(archive)
      again(_context: Writing, _input: { id: number }): Promise<ArchiveAnswer> {
        return unwritten();
      }
    }
    expect(Wrong).toBeDefined();
  });

  it('does not compile on a handler of another output', () => {
    class Wrong {
      // @ts-expect-error archive answers what it did
      @Handles(archive)
      archive(_context: Writing, _input: ArchiveConversation): Promise<{ ok: true }> {
        return unwritten();
      }

      // @ts-expect-error and answers it later
      @Handles(archive)
      now(_context: Writing, _input: ArchiveConversation): ArchiveAnswer {
        return unwritten();
      }

      // @ts-expect-error and nothing less
      @Handles(archive)
      silent(_context: Writing, _input: ArchiveConversation): Promise<void> {
        return unwritten();
      }
    }
    expect(Wrong).toBeDefined();
  });

  it('does not compile on a read that wants to write', () => {
    class Wrong {
      // @ts-expect-error a read is given no transaction and no outbox
      @Handles(list)
      list(_context: Writing, _input: ListConversations): Promise<ConversationPage> {
        return unwritten();
      }
    }
    expect(Wrong).toBeDefined();
  });

  it('does not compile on a handler that has the context of another operation', () => {
    class Wrong {
      // @ts-expect-error it could emit what archive does not list
      @Handles(archive)
      archive(
        _context: Writing<typeof commentRow>,
        _input: ArchiveConversation,
      ): Promise<ArchiveAnswer> {
        return unwritten();
      }
    }
    expect(Wrong).toBeDefined();
  });
});

describe('the context of a handler', () => {
  const resource = { type: 'conversation', id: 'cnv_1' } as const;
  const event = { resource, sequence: 1, data: commented('cnv_1') };
  const uncalled = (_handler: unknown): void => undefined;

  it('emits what its operation lists, and nothing else', () => {
    const listed: HandlerOf<typeof commentRow> = (context, input) => {
      context.emit({ ...event, type: 'conversation.commented' });
      // @ts-expect-error it is not of this operation
      context.emit({ ...event, type: 'message.sent' });
      // @ts-expect-error not an event at all
      context.emit({ ...event, type: 'conversation.eaten' });
      return comment(context, input);
    };
    uncalled(listed);
    expect(commentRow.emits).toEqual(['conversation.commented']);
  });

  it('of an operation that lists no event emits none', () => {
    const silent: HandlerOf<typeof archive> = (context) => {
      // @ts-expect-error archive lists none
      context.emit({ ...event, type: 'conversation.commented' });
      return unwritten();
    };
    uncalled(silent);
    expect(archive.emits).toEqual([]);
  });

  it('of any write emits none', () => {
    const anyWrite = (context: Writing): void => {
      // @ts-expect-error no operation is named that would list it
      context.emit({ ...event, type: 'conversation.commented' });
    };
    const ofComment = (context: Writing<typeof commentRow>): void => {
      anyWrite(context);
    };
    uncalled(ofComment);
    expect(anyWrite).toHaveLength(1);
  });

  it('of a read has neither an outbox nor a transaction', () => {
    type Forbidden = Extract<keyof Reading, 'emit' | 'manager' | 'subject' | 'header'>;
    const forbidden: Forbidden[] = [];
    const none: never[] = forbidden;
    const reading: HandlerOf<typeof list> = ({ rows, entities }) => {
      uncalled([rows, entities]);
      return unwritten();
    };
    uncalled(reading);
    expect(none).toEqual([]);
  });

  it('of a change outside an operation emits the events it names', () => {
    const naming = (context: Changing<'conversation.commented'>): void => {
      context.emit({ ...event, type: 'conversation.commented' });
      // @ts-expect-error it is not named
      context.emit({ ...event, type: 'conversation.assigned' });
    };
    const any = (context: Changing): void => {
      context.emit({ ...event, type: 'conversation.assigned' });
    };
    expect([naming, any]).toHaveLength(2);
  });

  it('emits no payload but the one that the event type declares', () => {
    const wrong = (context: Changing): void => {
      const type = 'conversation.commented';
      context.emit({ ...event, type });
      // @ts-expect-error the comment is missing
      context.emit({ ...event, type, data: { conversation: event.data.conversation } });
      // @ts-expect-error a comment changes no field of the conversation
      context.emit({ ...event, type, previous: { unread: true } });
      context.emit({ ...event, type: 'conversation.assigned', previous: { assignee: null } });
      // @ts-expect-error a conversation has no such field
      context.emit({ ...event, type: 'conversation.assigned', previous: { owner: null } });
      // @ts-expect-error it happens to conversations
      context.emit({ ...event, type, resource: { type: 'comment', id: 'cmt_1' } });
    };
    expect(wrong).toHaveLength(1);
  });
});
