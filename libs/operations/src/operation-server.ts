import { Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import type { Bus, ReplyEnvelope, RequestEnvelope, Unsubscribe } from '@postroom/bus';
import { operationsById, operationsOf, type ServiceName } from '@postroom/contracts';
import { firstValueFrom, isObservable } from 'rxjs';
import { keyHolderOf } from './call.js';
import type { EngineHandler } from './context.js';
import type { Engine } from './engine.js';
import { decryptRequest, encryptReply, type CallEncryptions } from './encrypted-calls.js';

/**
 * Nest's transport strategy over the bus port: a service's handlers are Nest message handlers, each
 * run by the engine. It does not start unless every operation of the service has exactly one handler.
 */
export class OperationServer extends Server implements CustomTransportStrategy {
  private unsubscribe: Unsubscribe | undefined;

  constructor(
    private readonly service: ServiceName,
    private readonly bus: Bus,
    private readonly engine: Engine,
    private readonly encryptions: CallEncryptions,
  ) {
    super();
  }

  override addHandler(pattern: unknown, handler: MessageHandler): void {
    const id = String(pattern);
    if (this.messageHandlers.has(id)) throw new Error(`operation ${id} has two handlers`);
    this.messageHandlers.set(id, handler);
  }

  /** Nest waits for `started` alone: an error that is not passed to it is lost. */
  listen(started: (error?: unknown) => void): void {
    this.serve().then(() => {
      started();
    }, started);
  }

  async close(): Promise<void> {
    await this.unsubscribe?.();
  }

  on(): void {
    // The bus has no connection events of its own to pass on.
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- Nest's signature
  unwrap<T>(): T {
    return this.bus as T;
  }

  private async serve(): Promise<void> {
    const handlers = this.handlers();
    this.unsubscribe = await this.bus.handle(
      this.service,
      (request) => this.answer(request, handlers.get(request.operation) ?? noHandler),
      (request, reply) => this.engine.sign(request, reply),
    );
  }

  private async answer(request: RequestEnvelope, handler: EngineHandler): Promise<ReplyEnvelope> {
    const operation = operationsById.get(request.operation);
    const encryption = operation?.encrypted && this.encryptions[keyHolderOf(operation)];
    const decrypted = encryption ? decryptRequest(encryption, request) : null;
    // A request that cannot be decrypted is refused by its signature, which is that of the input in clear.
    if (!encryption || !decrypted) return this.engine.handleRequest(request, handler);
    return encryptReply(encryption, await this.engine.handleRequest(decrypted, handler));
  }

  private handlers(): ReadonlyMap<string, EngineHandler> {
    const rows = new Set(operationsOf(this.service).map((operation) => operation.id));
    const missing = [...rows].filter((id) => !this.messageHandlers.has(id));
    const strangers = [...this.messageHandlers.keys()].filter((id) => !rows.has(id));
    if (missing.length > 0) throw new Error(`no handler for ${missing.join(', ')}`);
    if (strangers.length > 0)
      throw new Error(`handlers without an operation: ${strangers.join(', ')}`);
    return new Map([...this.messageHandlers].map(([id, handler]) => [id, unwrapped(handler)]));
  }
}

const noHandler: EngineHandler = () =>
  Promise.reject(new Error('no such operation in this service'));

/** Nest hands back a promise of an observable of the answer. */
const unwrapped =
  (handler: MessageHandler): EngineHandler =>
  async (context, input) => {
    const answer: unknown = await handler(input, context);
    return isObservable(answer) ? await firstValueFrom(answer) : answer;
  };
