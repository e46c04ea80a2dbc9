import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { InFlight, Signal } from '@postroom/concurrency';
import { accessEnded, attemptsMax, systemActor, type DisabledReason } from '@postroom/contracts';
import { eventsCommitted, logToken, UnitOfWork } from '@postroom/operations';
import { Database } from '@postroom/persistence';
import { Metrics, type Log } from '@postroom/service';
import { fail, inContextOf, inSpan, traceparent } from '@postroom/tracing';
import { WebhooksConfig } from './config.js';
import { bodyOf } from './delivery-request.js';
import { Callbacks } from './callbacks.js';
import { isOfKey, KeyDeliveries, occurrenceBodyOf, type KeyDelivery } from './key-deliveries.js';
import { removeSubscriptionOf } from './stored-event-subscriptions.js';
import { disableSubscription } from './stored-subscriptions.js';
import { WebhookSecrets } from './webhook-secrets.js';
import { Poster, userAgent, type AttemptResult, type Post } from './poster.js';
import { claimDeliveries, Loads, putBackDelivery, type ClaimedDelivery } from './claims.js';
import { watchDeliveries, type DeliveryMetrics } from './delivery-metrics.js';
import { OutcomeWriter, type FailingSubscription, type Outcome } from './outcomes.js';
import { waitBefore } from './schedule.js';

const pollMs = 1_000;
/** Deliveries that end or become due within this time are claimed together. */
const gatherMs = 4;

/**
 * Makes the deliveries that are due: claims as many as it has free slots for, posts each at once, and
 * records the outcome. It relies on polling; a wake-up only makes it quicker.
 */
@Injectable()
export class Dispatcher {
  private readonly signal = new Signal();
  private readonly loads = new Loads();
  private readonly inFlight = new InFlight();
  private readonly outcomes: OutcomeWriter;
  private claiming: Promise<void> = Promise.resolve();
  private isStopping = false;
  private readonly metrics: DeliveryMetrics;

  constructor(
    @Inject(WebhooksConfig) private readonly config: WebhooksConfig,
    private readonly database: Database,
    private readonly work: UnitOfWork,
    private readonly secrets: WebhookSecrets,
    private readonly poster: Poster,
    private readonly ofKeys: KeyDeliveries,
    private readonly callbacks: Callbacks,
    @Inject(logToken) private readonly log: Log,
    metrics: Metrics,
  ) {
    this.metrics = watchDeliveries(metrics, database);
    this.outcomes = new OutcomeWriter(database, log, (found) => {
      for (const one of found) void this.disable(one, 'failing');
    });
  }

  start(): void {
    this.claiming = this.claimUntilStopped();
  }

  /** Claims at once, since deliveries may have become due. */
  wake(): void {
    this.signal.notify();
  }

  /** Claims nothing more; resolves when all deliveries in progress have ended and are recorded. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.wake();
    await this.claiming;
    await this.inFlight.none();
    await this.poster.close();
  }

  private async claimUntilStopped(): Promise<void> {
    while (!this.isStopping) {
      const claimed = await this.claim();
      for (const delivery of claimed) void this.inFlight.track(() => this.deliver(delivery));
      if (claimed.length === 0) await this.signal.wait(pollMs);
      else await sleep(gatherMs);
    }
  }

  private async claim(): Promise<readonly ClaimedDelivery[]> {
    const limit = Math.min(64, this.config.webhookConcurrency - this.loads.total);
    if (limit <= 0) return [];
    const isHoldingUp = this.loads.holdingUp();
    try {
      const claimed = await claimDeliveries(this.database, limit, this.loads.all());
      for (const one of claimed)
        if (!one.cut && !isHoldingUp(one)) this.metrics.attemptStarted(one);
      return claimed;
    } catch (err) {
      if (!this.isStopping)
        this.log.warn({ err }, 'webhooks: deliveries cannot be claimed, retrying');
      return [];
    }
  }

  private async deliver(delivery: ClaimedDelivery): Promise<void> {
    this.loads.deliveryStarted(delivery);
    if (isOfKey(delivery) && (await this.withheld(delivery))) return;
    const result = await this.attempt(delivery).catch((err: unknown) => {
      this.log.error({ err, delivery: delivery.id }, 'webhooks: an attempt failed');
      return interrupted;
    });
    const outcome = this.outcomeOf(delivery, result);
    await this.outcomes.write(outcome);
    this.metrics.attemptEnded(outcome.status);
    this.loads.deliveryEnded(delivery, outcome.status === 'succeeded');
    if (result.status === 410 && delivery.key_id === null) await this.disable(delivery, 'gone');
    this.wake();
    if (outcome.status === 'pending' && outcome.waitMs < pollMs) {
      setTimeout(() => this.wake(), outcome.waitMs).unref();
    }
  }

  private async attempt(delivery: ClaimedDelivery): Promise<Attempt> {
    const { envelope, cut, event_id: id, subscription_id: subscriptionId } = delivery;
    if (cut || envelope === null) return interrupted;
    const body = Buffer.from(
      isOfKey(delivery) ? occurrenceBodyOf(delivery) : bodyOf(envelope, delivery.name),
    );
    const timestamp = Math.floor(Date.now() / 1000);
    const { sealed_secret: sealed, sealed_previous: previous, sealed_oldest: oldest } = delivery;
    const secrets = { sealed, sealedBefore: [previous, oldest].filter((one) => one !== null) };
    const headers = {
      'content-type': 'application/json',
      'user-agent': userAgent,
      'x-svc-event': delivery.name,
      'x-svc-delivery': delivery.id,
      'x-svc-attempt': String(delivery.attempt),
      ...(isOfKey(delivery) && { 'x-mcp-subscription-id': subscriptionId }),
      ...this.secrets.sign({ id, timestamp, body }, subscriptionId, secrets),
    };
    return inContextOf(delivery.traceparent, () =>
      this.post({ url: delivery.url, headers, body }, delivery),
    );
  }

  /** Sends the trace to the receiver, if there is one. */
  private post({ headers, ...post }: Post, { id, attempt }: ClaimedDelivery): Promise<Attempt> {
    const attributes = { 'postroom.delivery': id, 'postroom.attempt': attempt };
    return inSpan('webhook POST', { kind: 'client', attributes }, async (span) => {
      const trace = traceparent();
      const traced = trace === null ? headers : { ...headers, traceparent: trace };
      const result = await this.poster.post({ ...post, headers: traced });
      if (result.status !== null) span?.setAttribute('http.response.status_code', result.status);
      if (result.error !== null) fail(span, result.error);
      return { ...result, headers: traced };
    });
  }

  private outcomeOf(delivery: ClaimedDelivery, { headers, ...result }: Attempt): Outcome {
    const { envelope, attempt } = delivery;
    // Without an envelope the event is no longer kept: nothing can be sent.
    const isOver = isRefused(delivery, result) || envelope === null || attempt >= attemptsMax;
    const status = result.error === null ? 'succeeded' : isOver ? 'failed' : 'pending';
    const { webhookRetryDelaysMs: delaysMs } = this.config;
    const waitMs = waitBefore(attempt + 1, delaysMs, result.retryAfterMs);
    return { delivery, status, waitMs, result, headers };
  }

  /**
   * Withholds a delivery whose event its key may not see now. A delivery that it may not see is done, the
   * subscription of a key that has ended is removed, and without a judgement the delivery waits for one.
   */
  private async withheld(delivery: KeyDelivery): Promise<boolean> {
    const verdict = await this.ofKeys.judge(delivery);
    if (verdict === 'shown') return false;
    try {
      if (verdict === 'ended') await this.endSubscription(delivery);
      if (verdict === null) await putBackDelivery(this.database, delivery, pollMs);
    } catch (err) {
      this.log.warn({ err, delivery: delivery.id }, 'webhooks: a delivery could not be withheld');
    }
    const done = { status: 'succeeded', waitMs: 0, result: interrupted, headers: null } as const;
    if (verdict !== null) await this.outcomes.write({ delivery, ...done });
    this.loads.deliveryEnded(delivery, verdict !== null);
    this.wake();
    return true;
  }

  private async endSubscription(delivery: KeyDelivery): Promise<void> {
    const { tenant_id: tenantId, subscription_id: subscriptionId, url } = delivery;
    const origin = { tenantId, actor: systemActor, source: 'automation' } as const;
    const isRemoved = await this.work.change(origin, null, async (context) => ({
      value: await removeSubscriptionOf(context, subscriptionId),
    }));
    // It is said once, though several deliveries were under way.
    if (!isRemoved) return;
    const secret = this.secrets.open(delivery.sealed_secret, subscriptionId);
    await this.callbacks.terminated({ subscriptionId, url, secret }, accessEnded);
  }

  /** Disables a subscription whose endpoint is gone or has failed for days; its deliveries are dropped. */
  private async disable(
    { tenant_id: tenantId, subscription_id: id }: FailingSubscription,
    reason: DisabledReason,
  ): Promise<void> {
    const origin = { tenantId, actor: systemActor, source: 'automation' } as const;
    try {
      const isNews = await this.work.change(origin, null, async (context) => {
        const value = await disableSubscription(context, id, reason);
        const audit = { action: 'webhooks.disable', subjectId: id, requestId: null };
        return { value, ...(value && { audit }) };
      });
      if (isNews) eventsCommitted(this.database);
    } catch (err) {
      this.log.warn({ err, subscription: id }, 'webhooks: a subscription could not be disabled');
    }
  }
}

/** An attempt with the headers that it sent; null when nothing was. */
interface Attempt extends AttemptResult {
  readonly headers: Post['headers'] | null;
}

/** The receiver wants no other attempt: the agents of keys say that of an event that is too large too (SEP-3415). */
const isRefused = ({ key_id }: ClaimedDelivery, { status }: AttemptResult): boolean =>
  status === 410 || (status === 413 && key_id !== null);

const interrupted: Attempt = {
  headers: null,
  error: 'interrupted',
  status: null,
  durationMs: null,
  excerpt: null,
  retryAfterMs: 0,
};
