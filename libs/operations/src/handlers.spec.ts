import { describe, expect, it } from '@jest/globals';
import {
  conversations,
  Problem,
  type ArchiveAnswer,
  type CommentAnswer,
  type CommentOnConversation,
  type ConversationPage,
} from '@postroom/contracts';
import type { Changing, HandlerOf, Reading, Writing } from './context.js';
import { handlers, type HandlersOf } from './handlers.js';
import { comment } from './testing/ledger.js';
import { commented } from './testing/payloads.js';

const { archive, comment: commentOperation } = conversations;

const unwritten = (): never => {
  throw new Problem('INTERNAL');
};

const fitting: HandlersOf<typeof conversations> = {
  list: unwritten,
  get: unwritten,
  archive: unwritten,
  reopen: unwritten,
  comment,
};

class Greeter {
  readonly greeting = 'hello';
}

/**
 * Every `@ts-expect-error` here is a guarantee that the compiler is asked to keep: the type check of
 * the specs fails on one that compiles.
 */
describe('handlers', () => {
  it('are a class of the family with a method for each operation', () => {
    const controller = handlers(conversations, fitting);
    expect(controller.name).toBe('conversationsHandlers');
    const methods = ['list', 'get', 'archive', 'reopen', 'comment'];
    expect(Object.getOwnPropertyNames(controller.prototype)).toEqual(
      expect.arrayContaining(methods),
    );
  });

  it('infer context, input and what is injected', () => {
    const controller = handlers(conversations, [Greeter], (greeter) => ({
      ...fitting,
      list: async ({ rows }, { mailbox }) => {
        await rows({ name: greeter.greeting, text: mailbox }, []);
        return unwritten();
      },
      comment: {
        prepare: async (_reading, input) => (context) => comment(context, input),
      },
    }));
    expect(controller).toBeDefined();
  });

  it('do not compile where one is missing', () => {
    const { list: _list, ...rest } = fitting;
    // @ts-expect-error list has no handler
    handlers(conversations, rest);
    expect(Object.keys(rest)).not.toContain('list');
  });

  it('do not compile with another input', () => {
    const wrong = async (
      _context: Writing<typeof archive>,
      _input: CommentOnConversation,
    ): Promise<ArchiveAnswer> => unwritten();
    // @ts-expect-error archive is given no text
    handlers(conversations, { ...fitting, archive: wrong });
    expect(wrong).toHaveLength(2);
  });

  it('do not compile with another output', () => {
    // @ts-expect-error archive answers what it did
    handlers(conversations, { ...fitting, archive: async () => ({ ok: true as const }) });
    const now = (): ArchiveAnswer => unwritten();
    // @ts-expect-error and answers it later
    handlers(conversations, { ...fitting, archive: now });
    const silent = async (): Promise<void> => undefined;
    // @ts-expect-error and nothing less
    handlers(conversations, { ...fitting, archive: silent });
    expect([now, silent]).toHaveLength(2);
  });

  it('do not compile where a read wants to write, or has something to prepare', () => {
    const writing = async (_context: Writing): Promise<ConversationPage> => unwritten();
    // @ts-expect-error a read is given no transaction and no outbox
    handlers(conversations, { ...fitting, list: writing });
    // @ts-expect-error a read has no transaction to prepare
    handlers(conversations, { ...fitting, list: { prepare: async () => async () => unwritten() } });
    expect(writing).toHaveLength(1);
  });

  it('do not compile with the context of another operation', () => {
    const other = async (_context: Writing<typeof commentOperation>): Promise<ArchiveAnswer> =>
      unwritten();
    // @ts-expect-error it could emit what archive does not list
    handlers(conversations, { ...fitting, archive: other });
    expect(other).toHaveLength(1);
  });

  it('do not compile where what is prepared does not fit the operation', () => {
    const early = async (_context: Writing): Promise<() => Promise<CommentAnswer>> => unwritten();
    // @ts-expect-error there is no transaction yet
    handlers(conversations, { ...fitting, comment: { prepare: early } });
    const wrong = async () => async () => ({ ok: true as const });
    // @ts-expect-error the answer is that of the operation
    handlers(conversations, { ...fitting, comment: { prepare: wrong } });
    expect([early, wrong]).toHaveLength(2);
  });
});

describe('the context of a handler', () => {
  const resource = { type: 'conversation', id: 'cnv_1' } as const;
  const event = { resource, sequence: 1, data: commented('cnv_1') };
  const uncalled = (_handler: unknown): void => undefined;

  it('emits what its operation lists, and nothing else', () => {
    const listed: HandlerOf<typeof commentOperation> = (context, input) => {
      context.emit({ ...event, type: 'conversation.commented' });
      // @ts-expect-error it is not of this operation
      context.emit({ ...event, type: 'message.sent' });
      // @ts-expect-error not an event at all
      context.emit({ ...event, type: 'conversation.eaten' });
      return comment(context, input);
    };
    uncalled(listed);
    expect(commentOperation.emits).toEqual(['conversation.commented']);
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
    const ofComment = (context: Writing<typeof commentOperation>): void => {
      anyWrite(context);
    };
    uncalled(ofComment);
    expect(anyWrite).toHaveLength(1);
  });

  it('of a read has neither an outbox nor a transaction', () => {
    type Forbidden = Extract<keyof Reading, 'emit' | 'manager' | 'subject' | 'header'>;
    const forbidden: Forbidden[] = [];
    const none: never[] = forbidden;
    const reading: HandlerOf<typeof conversations.list> = ({ rows, entities }) => {
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
