import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Module, type INestMicroservice, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { MessagePattern, type MicroserviceOptions } from '@nestjs/microservices';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { InProcessBus } from '@postroom/bus';
import { conversations, Problem, operationsOf } from '@postroom/contracts';
import { encryptionsOf } from './encrypted-calls.js';
import { handlers, RethrowFilter } from './handlers.js';
import { OperationServer } from './operation-server.js';
import { bump, comment, keyCaller, Ledger, nothing } from './testing/ledger.js';

const missing = (): never => {
  throw new Problem('CONVERSATION_NOT_FOUND');
};

/** Handlers of every conversation operation; only some of them are called here. */
const ConversationHandlers = handlers(conversations, {
  list: async (context, { mailbox }) => ({
    mailbox,
    conversations: [],
    nextPageToken: context.tenantId,
  }),
  get: missing,
  archive: async (context, { id }) => {
    await bump(context, id);
    throw new Problem('VERSION_CONFLICT', { headers: { 'retry-after': '1' } });
  },
  reopen: async () => {
    throw new Error('a secret of the database');
  },
  comment,
});

/** Handlers of the service's other operations, none of which is called here. */
@Controller()
class OtherHandlers {}

const { list, get, archive, reopen, comment: commentOperation } = conversations;
const handledAbove = new Set([list, get, archive, reopen, commentOperation].map(({ id }) => id));

for (const { id } of operationsOf('mail').filter((operation) => !handledAbove.has(operation.id))) {
  const descriptor = { value: (): never => missing(), writable: true, configurable: true };
  Object.defineProperty(OtherHandlers.prototype, id, descriptor);
  MessagePattern(id)(OtherHandlers.prototype, id, descriptor);
}

const AnotherArchive = handlers({ archive: conversations.archive }, { archive: missing });

@Controller()
class Stranger {
  @MessagePattern('conversations.eat')
  eat(): string {
    return 'eaten';
  }
}

let ledger: Ledger;
const apps: (INestMicroservice | NestFastifyApplication)[] = [];

beforeAll(async () => {
  ledger = await Ledger.open();
});
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()));
});
afterAll(() => ledger.close());

function moduleOf(controllers: Type[]): Type {
  @Module({ controllers })
  class ServiceModule {}
  return ServiceModule;
}

/** A service that is nothing but a microservice. */
async function start(bus: InProcessBus, controllers: Type[]): Promise<void> {
  const strategy = new OperationServer(
    'mail',
    bus,
    ledger.engine,
    encryptionsOf({ mail: ledger.callerKey }),
  );
  const app = await NestFactory.createMicroservice<MicroserviceOptions>(moduleOf(controllers), {
    strategy,
    logger: false,
    abortOnError: false,
  });
  app.useGlobalFilters(new RethrowFilter());
  apps.push(app);
  await app.listen();
}

/** A service that serves HTTP as well, built as the gateway is. */
async function startHybrid(bus: InProcessBus, controllers: Type[]): Promise<void> {
  const app = await NestFactory.create<NestFastifyApplication>(
    moduleOf(controllers),
    new FastifyAdapter(),
    { logger: false, abortOnError: false },
  );
  const strategy = new OperationServer(
    'mail',
    bus,
    ledger.engine,
    encryptionsOf({ mail: ledger.callerKey }),
  );
  app
    .connectMicroservice<MicroserviceOptions>({ strategy }, { deferInitialization: true })
    .useGlobalFilters(new RethrowFilter());
  apps.push(app);
  await app.startAllMicroservices();
  await app.listen(0, '127.0.0.1');
}

describe.each([
  ['a microservice', start],
  ['a hybrid application', startHybrid],
])('the server of operations in %s', (_kind, startService) => {
  it('does not start without a handler of each operation, and names those that lack one', async () => {
    const bus = new InProcessBus();
    await expect(startService(bus, [ConversationHandlers])).rejects.toThrow(
      /^no handler for .*mailboxes\.list, mailboxes\.create, mailboxes\.update/,
    );
    await expect(bus.request('mail', ledger.request(conversations.comment))).rejects.toMatchObject({
      reason: 'no-service',
    });
  });

  it('does not start with two handlers of one operation', async () => {
    const controllers = [ConversationHandlers, OtherHandlers, AnotherArchive];
    await expect(startService(new InProcessBus(), controllers)).rejects.toThrow(
      'operation conversations.archive has two handlers',
    );
  });

  it('does not start with a handler that has no operation', async () => {
    const controllers = [ConversationHandlers, OtherHandlers, Stranger];
    await expect(startService(new InProcessBus(), controllers)).rejects.toThrow(
      'handlers without an operation: conversations.eat',
    );
  });

  it('does not start where another serves already', async () => {
    const bus = new InProcessBus();
    await startService(bus, [ConversationHandlers, OtherHandlers]);
    const second = startService(bus, [ConversationHandlers, OtherHandlers]);
    await expect(second).rejects.toThrow('mail is served already');
  });
});

describe('a started server of operations', () => {
  const bus = new InProcessBus();

  const call = (operation: Parameters<Ledger['request']>[0], caller = keyCaller()) =>
    bus.request('mail', ledger.request(operation, { caller }));

  it('gives each request to the handler of its operation, with the context and the input', async () => {
    await start(bus, [ConversationHandlers, OtherHandlers]);
    const caller = keyCaller();
    const list = await call(conversations.list, caller);
    expect(JSON.parse(list.body.toString())).toEqual({
      mailbox: 'support@acme.test',
      conversations: [],
      nextPageToken: caller.tenantId,
    });
    const commented = await call(conversations.comment, caller);
    expect(commented).toMatchObject({ status: 200, problem: null });
    expect(await ledger.holdings(caller.tenantId)).toMatchObject({ effects: 1, events: 1 });
  });

  it('answers what a handler throws, at once or later: the refusal as it is, a fault as INTERNAL', async () => {
    await start(bus, [ConversationHandlers, OtherHandlers]);
    ledger.logged();
    expect(await call(conversations.get)).toMatchObject({
      status: 404,
      problem: 'CONVERSATION_NOT_FOUND',
    });
    const caller = keyCaller();
    expect(await call(conversations.archive, caller)).toMatchObject({
      status: 409,
      problem: 'VERSION_CONFLICT',
      headers: { 'retry-after': '1' },
    });
    expect(await ledger.holdings(caller.tenantId)).toEqual(nothing);
    expect(ledger.logged()).toEqual([]);
    expect(await call(conversations.reopen)).toMatchObject({ status: 500, problem: 'INTERNAL' });
    expect(ledger.logged()).toMatchObject([{ err: { message: 'a secret of the database' } }]);
  });

  it('answers an operation that is not its own as a fault', async () => {
    await start(bus, [ConversationHandlers, OtherHandlers]);
    const foreign = ledger.request({ ...conversations.get, id: 'session.get' });
    expect(await bus.request('mail', foreign)).toMatchObject({ problem: 'INTERNAL' });
    expect(ledger.logged()).toMatchObject([{ err: { message: /no such operation/ } }]);
  });

  it('serves no more once it is closed', async () => {
    await start(bus, [ConversationHandlers, OtherHandlers]);
    await apps.pop()?.close();
    await expect(call(conversations.list)).rejects.toMatchObject({ reason: 'no-service' });
  });
});
