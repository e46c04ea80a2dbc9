import { CallEncryption, verifyCaller, type Caller, type CallerKey } from '@postroom/access';
import type { Bus, ReplyEnvelope, RequestEnvelope, Unsubscribe } from '@postroom/bus';
import type { ServiceName } from '@postroom/contracts';
import { decryptRequest, encryptReply } from '@postroom/operations';

/** A call that reached the service, with a Caller that the gateway signed. */
export interface ReceivedCall {
  readonly request: RequestEnvelope;
  readonly caller: Caller;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The answer that a spec sets for the service; bytes are sent unchanged. */
export type StandInAnswer = Partial<Omit<ReplyEnvelope, 'id' | 'body'>> & {
  readonly body?: object;
};

/**
 * Stands where a service does on the bus: it believes no Caller that is not signed for the very call,
 * and answers as the spec says.
 */
export class ServiceStandIn {
  readonly calls: ReceivedCall[] = [];
  answer: (call: ReceivedCall) => StandInAnswer | Promise<StandInAnswer> = () => ({
    body: { ok: true },
  });

  private readonly encryption: CallEncryption;

  constructor(
    private readonly service: ServiceName,
    private readonly bus: Bus,
    private readonly key: CallerKey,
  ) {
    this.encryption = new CallEncryption(key);
  }

  /** Serves until what it returns is called. */
  serve(): Promise<Unsubscribe> {
    return this.bus.handle(this.service, (request) => this.reply(request));
  }

  protected respond(call: ReceivedCall): StandInAnswer | Promise<StandInAnswer> {
    return this.answer(call);
  }

  private async reply(request: RequestEnvelope): Promise<ReplyEnvelope> {
    const decrypted = decryptRequest(this.encryption, request);
    if (!decrypted) return this.replyInClear(request);
    return encryptReply(this.encryption, await this.replyInClear(decrypted));
  }

  private async replyInClear(request: RequestEnvelope): Promise<ReplyEnvelope> {
    const { id, deadlineMs, caller: text, signature, input } = request;
    if (!verifyCaller(this.key, request, signature)) throw new Error('not signed by the gateway');
    if (Date.now() >= deadlineMs) throw new Error('too late');
    const caller = JSON.parse(text) as Caller;
    const call = { request, caller, input: JSON.parse(input.toString()) as ReceivedCall['input'] };
    this.calls.push(call);
    const { body = {}, ...answer } = await this.respond(call);
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
    return { id, status: 200, headers: {}, problem: null, ...answer, body: bytes };
  }
}
