import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { actorOf, type MemberCaller } from '@postroom/access';
import { InFlight, startRounds } from '@postroom/concurrency';
import {
  aheadMsMax,
  builtIns,
  clockStopsMax,
  invalidField,
  newId,
  Problem,
  sandbox,
  storingServiceNames,
  unknownId,
  type ClockAdvance,
  type ClockState,
  type MoveClock,
  type Sandbox,
  type ServiceName,
} from '@postroom/contracts';
import { Budget } from '@postroom/limits';
import {
  handlers,
  logToken,
  OperationClient,
  UnitOfWork,
  type Reading,
} from '@postroom/operations';
import { Database, statement } from '@postroom/persistence';
import type { Log } from '@postroom/service';
import { limits } from '../../limits.js';
import { requireSuccess } from '../../problems.js';

const everyMs = 500;
/** Advances that a process has under way. */
const underWayMax = 16;
/** Something due that is not done so long after the clock has stopped for it is left behind. */
const stopMs = 30_000;
/** Published events are looked for from a little before a stop, since clocks of machines differ. */
const skewMs = 5_000;
/** The longest that a request waits for the end of its advance. */
const answerMs = 30_000;
const lookMs = 10;

interface Advance {
  readonly tenantId: string;
  readonly toMs: number;
  readonly aheadMs: number;
  readonly stops: number;
}

const readSandbox = statement<{ nowMs: number; aheadMs: number; advance: ClockAdvance | null }>(
  'access.sandbox',
  'SELECT now_ms AS "nowMs", ahead_ms AS "aheadMs", advance FROM sandbox_of($1)',
);

const insertAdvance = statement<{ isNew: boolean; isOwn: boolean }>(
  'access.insert_advance',
  `WITH begun AS (
     INSERT INTO clock_advances AS a (tenant_id, message_id, from_ms, to_ms, ahead_ms)
     VALUES ($1, $2, $3, $4, $3)
     ON CONFLICT (tenant_id) DO UPDATE SET message_id = excluded.message_id, from_ms = excluded.from_ms,
       to_ms = excluded.to_ms, ahead_ms = excluded.ahead_ms, stops = 0, state = 'running',
       leased_until = '-infinity'
     WHERE a.state <> 'running' AND a.message_id <> excluded.message_id RETURNING 1
   )
   SELECT EXISTS (SELECT FROM begun) AS "isNew",
     EXISTS (SELECT FROM clock_advances WHERE tenant_id = $1 AND message_id = $2) AS "isOwn"`,
);

const takeAdvances = statement<Advance>(
  'access.take_advances',
  `SELECT tenant_id AS "tenantId", to_ms AS "toMs", ahead_ms AS "aheadMs", stops
   FROM take_advances($1)`,
);

const recordAdvance = statement<object>(
  'access.record_advance',
  'SELECT record_advance($1, $2, $3, $4)',
);

/**
 * Moves the clocks of sandboxes. A clock stops at each thing that is due on its way, in every service, and goes on when
 * nothing is due or worked on any more and the feed has the events. How far it is to be is recorded before the
 * services are told, and they are told how far they are to be and not by how much, so that another process can go
 * on wherever one was lost.
 */
@Injectable()
export class Advances {
  private readonly places = new Budget(limits.clocks);
  private readonly underWay = new InFlight();
  private wake: () => void = () => undefined;

  constructor(
    private readonly database: Database,
    private readonly work: UnitOfWork,
    private readonly operations: OperationClient,
    @Inject(logToken) private readonly log: Log,
  ) {}

  /** @returns how to stop: resolves when the stops under way are over; others go on with what is left */
  start(): () => Promise<void> {
    const stop = startRounds((stopping) => this.round(stopping), {
      everyMs,
      on: (wake) => {
        this.wake = wake;
        return () => undefined;
      },
      onFailure: (err) => this.log.warn({ err }, 'looking for advances of clocks failed, retrying'),
    });
    return async () => {
      await stop();
      await this.underWay.none();
    };
  }

  async read({ rows }: Pick<Reading, 'rows'>): Promise<Sandbox> {
    const [found] = await rows(readSandbox, []);
    if (!found) throw new Error('a function of one row returns it');
    const { nowMs, ...sandbox } = found;
    return { now: new Date(nowMs).toISOString(), ...sandbox };
  }

  /**
   * Begins an advance, once for a request that the bus delivers again.
   * @throws Problem CLOCK_MOVING; INVALID_REQUEST for one that goes too far
   */
  async startAdvance(context: Reading, advanceMs: number): Promise<void> {
    const { tenantId, caller, messageId, requestId } = context;
    const origin = { tenantId, actor: actorOf(caller), source: caller.source };
    await this.work.change(origin, null, async (changing) => {
      const { aheadMs: fromMs } = await this.read(changing);
      if (fromMs + advanceMs > aheadMsMax) throw tooFar();
      const [begun] = await changing.rows(insertAdvance, [messageId, fromMs, fromMs + advanceMs]);
      if (!begun?.isNew && !begun?.isOwn) throw new Problem('CLOCK_MOVING');
      const audit = { action: 'sandbox.clock', subjectId: tenantId, requestId };
      return { value: undefined, ...(begun.isNew && { audit }) };
    });
    this.wake();
  }

  /** The sandbox at the end of its advance, or as it is when the request has waited for long. */
  async ended(context: Reading): Promise<Sandbox> {
    const untilMs = Math.min(Date.now() + answerMs, context.deadlineMs - 2_000);
    for (;;) {
      const found = await this.read(context);
      if (found.advance?.state !== 'running' || Date.now() >= untilMs) return found;
      await sleep(lookMs);
    }
  }

  private async round(stopping: AbortSignal): Promise<void> {
    const free = underWayMax - this.underWay.size;
    for (const advance of free > 0 ? await this.database.rows(takeAdvances, [free]) : []) {
      void this.underWay.track(() =>
        this.moveClock(advance, stopping).catch((err: unknown) => {
          if (!stopping.aborted) this.log.warn({ err }, 'moving a clock failed, retrying');
        }),
      );
    }
  }

  private async moveClock(from: Advance, stopping: AbortSignal): Promise<void> {
    const owner = { workspace: from.tenantId };
    let advance: Advance | null = from;
    while (advance) {
      const now: Advance = advance;
      advance = await this.places.runInTurn(owner, () => this.step(now, stopping), {
        signal: stopping,
      });
    }
  }

  /** Waits until what was due is done, and sets the next stop. @returns null at the end */
  private async step(advance: Advance, stopping: AbortSignal): Promise<Advance | null> {
    const { tenantId, toMs, aheadMs, stops } = advance;
    const looks = await this.settled(advance, stopping);
    const isOver = aheadMs >= toMs;
    if (isOver || stops >= clockStopsMax) {
      await this.record(advance, isOver ? 'done' : 'stopped');
      return null;
    }
    const dueMs = Math.min(...looks.map(({ nextMs }) => nextMs ?? Infinity)) - Date.now();
    const nextMs = Math.min(toMs, Math.max(aheadMs + 1, Math.ceil(dueMs)));
    const next = { tenantId, toMs, aheadMs: nextMs, stops: stops + (dueMs > toMs ? 0 : 1) };
    await this.record(next, 'running');
    return next;
  }

  private record(
    { tenantId, aheadMs, stops }: Advance,
    state: ClockAdvance['state'],
  ): Promise<object[]> {
    return this.database.rows(recordAdvance, [tenantId, aheadMs, stops, state], tenantId);
  }

  /** Moves the clocks of all services, and looks at them until there is nothing to do, or too long. */
  private async settled(
    { tenantId, aheadMs }: Advance,
    stopping: AbortSignal,
  ): Promise<readonly ClockState[]> {
    const since = new Date(Date.now() - skewMs).toISOString();
    const giveUpMs = performance.now() + stopMs;
    const ask = (service: ServiceName, events: string[]) =>
      this.ask(service, tenantId, { aheadMs, since, events });
    for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 1.5, 250)) {
      const looks = await Promise.all(producers.map((service) => ask(service, [])));
      const isLast = performance.now() >= giveUpMs;
      // Deliveries follow what is published.
      if (isLast || !looks.some(({ isBusy }) => isBusy)) {
        const published = [...new Set(looks.flatMap((look) => look.published))];
        const deliveries = await ask('webhooks', published);
        if (isLast || !deliveries.isBusy) return [...looks, deliveries];
      }
      await sleep(pauseMs, undefined, { signal: stopping });
    }
  }

  private async ask(service: ServiceName, tenantId: string, input: MoveClock): Promise<ClockState> {
    const options = { requestId: newId('req') };
    const caller: MemberCaller = {
      ...{
        type: 'member',
        tenantId,
        source: 'app',
        memberId: unknownId('mbr'),
        email: '',
        name: '',
      },
      ...{ role: 'admin', canApprove: false, sessionId: null },
    };
    const reply = await this.operations.call(builtIns[service].clock, caller, input, options);
    return JSON.parse(requireSuccess(reply).body.toString()) as ClockState;
  }
}

/** Services whose events the feed has to have. */
const producers = storingServiceNames.filter((name) => name !== 'webhooks');

const tooFar = (): Problem =>
  invalidField(
    'advanceMs',
    'l’horloge irait au-delà de cent ans d’avance',
    'the clock would be more than a hundred years ahead',
    'TOO_LARGE',
  );

/** The clock of the caller's sandbox. */
export const SandboxHandlers = handlers(sandbox, [Advances], (advances) => ({
  get: async (context) => ({ sandbox: await advances.read(context) }),
  clock: async (context, { advanceMs }) => {
    await advances.startAdvance(context, advanceMs);
    return { sandbox: await advances.ended(context) };
  },
}));
