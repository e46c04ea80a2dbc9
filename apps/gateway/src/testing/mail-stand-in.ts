import { CallSeal, verifyCaller, type Caller, type CallerKey } from '@postroom/access';
import type { Bus, ReplyEnvelope, RequestEnvelope, Unsubscribe } from '@postroom/bus';
import { builtIns, mailboxes } from '@postroom/contracts';
import { openRequest, sealReply, signedParts } from '@postroom/operations';

/** A call that reached the mail service, with a Caller that the gateway signed. */
export interface MailCall {
  readonly request: RequestEnvelope;
  readonly caller: Caller;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What a spec has the mail service answer; bytes go as they are. */
export type MailAnswer = Partial<Omit<ReplyEnvelope, 'id' | 'body'>> & { readonly body?: object };

/**
 * Stands where the mail service does on the bus: it believes no Caller that is not signed for the
 * very call, knows the workspace's mailboxes, and answers the rest as the spec says.
 */
export class MailStandIn {
  readonly calls: MailCall[] = [];
  /** By workspace: the addresses of its mailboxes. */
  readonly mailboxes = new Map<string, readonly string[]>();
  /** Audit records that it has not handed over. */
  waiting = 0;
  answer: (call: MailCall) => MailAnswer | Promise<MailAnswer> = () => ({ body: { ok: true } });

  private readonly seal: CallSeal;

  constructor(
    private readonly bus: Bus,
    private readonly key: CallerKey,
  ) {
    this.seal = new CallSeal(key);
  }

  /** Serves until what it returns is called. */
  serve(): Promise<Unsubscribe> {
    return this.bus.handle('mail', (request) => this.reply(request));
  }

  private async reply(request: RequestEnvelope): Promise<ReplyEnvelope> {
    const opened = openRequest(this.seal, request);
    if (!opened) return this.replyInClear(request);
    return sealReply(this.seal, await this.replyInClear(opened));
  }

  private async replyInClear(request: RequestEnvelope): Promise<ReplyEnvelope> {
    const { id, operation, deadlineMs, caller: text, signature, input } = request;
    if (!verifyCaller(this.key, signedParts(request), signature))
      throw new Error('not signed by the gateway');
    if (Date.now() >= deadlineMs) throw new Error('too late');
    const caller = JSON.parse(text) as Caller;
    const call = { request, caller, input: JSON.parse(input.toString()) as MailCall['input'] };
    this.calls.push(call);
    const { body = {}, ...answer } = await (this.known(operation, caller) ?? this.answer(call));
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
    return { id, status: 200, headers: {}, problem: null, ...answer, body: bytes };
  }

  private known(operation: string, caller: Caller): MailAnswer | undefined {
    if (operation === mailboxes.list.id) return this.list(caller);
    return operation === builtIns.mail.auditBacklog.id
      ? { body: { waiting: this.waiting } }
      : undefined;
  }

  private list({ tenantId }: Caller): MailAnswer {
    const items = (this.mailboxes.get(tenantId) ?? []).map((address) => ({ address }));
    return { body: { items, nextPageToken: null } };
  }
}
