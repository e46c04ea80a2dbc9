import { randomBytes, randomUUID } from 'node:crypto';
import { callerKey, type KeyCaller } from '@postroom/access';
import { ByReferenceBus, InProcessBus } from '@postroom/bus';
import {
  calendarEvents,
  calendars,
  newId,
  recordOf,
  serviceNames,
  tasks,
  type InputOf,
  type Operation,
} from '@postroom/contracts';
import { OperationClient, type Service } from '@postroom/operations';
import { PostgresBlobs } from '@postroom/persistence';
import { provision } from '@postroom/persistence/provision';
import { createSchedulingApp, SchedulingConfig, schedulingSchema } from '@postroom/scheduling';
import { createLog, Health, loadConfig, Metrics } from '@postroom/service';
import { Client } from 'pg';
import type { BenchDatabase } from '../rig/database.js';

export const dayMs = 86_400_000;
/** A quarter past nine in Paris, on a Monday. */
export const firstMs = Date.parse('2026-01-05T08:15:00Z');

/** Rules of the series that are looked at: daily to yearly, by weekdays, days and places. */
export const rules = [
  'FREQ=DAILY',
  'FREQ=WEEKLY;BYDAY=MO,WE,FR',
  'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU',
  'FREQ=MONTHLY;BYMONTHDAY=1,15',
  'FREQ=MONTHLY;BYDAY=-1FR',
  'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
  'FREQ=YEARLY;BYMONTH=3,9;BYMONTHDAY=10',
  'FREQ=DAILY;INTERVAL=3',
] as const;

export const ruleOf = (i: number): string => rules[i % rules.length] ?? rules[0];

interface Parts {
  readonly service: Service;
  readonly bus: InProcessBus;
  readonly blobs: PostgresBlobs;
  readonly client: OperationClient;
  readonly admin: Client;
  readonly caller: KeyCaller;
}

/** The scheduling service in this process, asked as the gateway asks it. */
export class Planned {
  readonly admin: Client;
  readonly caller: KeyCaller;

  private constructor(private readonly parts: Parts) {
    this.admin = parts.admin;
    this.caller = parts.caller;
  }

  static async start({ adminUrl, setup }: BenchDatabase): Promise<Planned> {
    const urls = await provision(adminUrl, [schedulingSchema]);
    const key = randomBytes(32);
    const bus = new InProcessBus();
    const env = {
      DATABASE_URL: urls.scheduling,
      BLOBS_DATABASE_URL: setup.databaseUrls.blobs,
      CALLER_KEY: key.toString('base64'),
      SECRETS_KEYS: setup.secretsKeys,
    };
    const log = createLog({ level: 'error', format: 'plain' });
    const parts = { bus, log, health: new Health([]), metrics: new Metrics() };
    const service = await createSchedulingApp(loadConfig(SchedulingConfig, env), parts);
    await service.listen();
    const admin = new Client({ connectionString: adminUrl });
    await admin.connect();
    await admin.query('SET search_path = scheduling, public');
    const keys = recordOf(serviceNames, () => callerKey(key));
    const member = { id: newId('mbr'), email: 'planner@x.test' };
    const caller = { ...setup.facts.caller, member };
    const blobs = new PostgresBlobs({ url: env.BLOBS_DATABASE_URL, onTrouble: () => undefined });
    const client = new OperationClient(new ByReferenceBus(bus, blobs, log), keys);
    return new Planned({ service, bus, blobs, client, admin, caller });
  }

  /** @throws Error for a refusal */
  async ask<O extends Operation>(
    operation: O,
    input: InputOf<O>,
  ): Promise<Record<string, unknown>> {
    const { caller } = this;
    const reply = await this.parts.client.call(operation, caller, input, {
      requestId: randomUUID(),
    });
    const text = reply.body.toString();
    if (reply.problem !== null) throw new Error(`${operation.id}: ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  }

  async calendar(name: string): Promise<string> {
    const { calendar } = await this.ask(calendars.create, { name, scope: 'personal' });
    return (calendar as { id: string }).id;
  }

  /** A calendar with a thousand series that do not end. */
  async withSeries(): Promise<string> {
    const calendarId = await this.calendar('series');
    for (let i = 0; i < 1000; i += 1) {
      const startMs = firstMs + i * 60_000;
      const recurrence = { rrule: ruleOf(i), timeZone: 'Europe/Paris' };
      const times = { startMs, endMs: startMs + 1_800_000, timeZone: 'Europe/Paris' };
      await this.ask(calendarEvents.create, { calendarId, title: `${i}`, ...times, recurrence });
    }
    return calendarId;
  }

  /** A calendar with ten thousand series that have ended. */
  async withEnded(): Promise<string> {
    const calendarId = await this.calendar('ended');
    const recurrence = { rrule: 'FREQ=DAILY;COUNT=20', timeZone: 'Europe/Paris' };
    const times = { startMs: firstMs, endMs: firstMs + 1_800_000 };
    await this.ask(calendarEvents.create, { calendarId, title: 'x', ...times, recurrence });
    await this.admin.query(
      `INSERT INTO calendar_events (tenant_id, id, calendar_id, uid, start_ms, end_ms, first_ms, last_ms,
         has_reminders, thread_id, content, created_by, created_at, updated_at, version, sequence)
       SELECT tenant_id, id || '-' || i, calendar_id, uid || i, start_ms, end_ms, first_ms, last_ms,
         has_reminders, thread_id, content, created_by, created_at, updated_at, version, sequence
       FROM calendar_events, generate_series(2, 10000) i WHERE calendar_id = $1`,
      [calendarId],
    );
    return calendarId;
  }

  async withTasks(): Promise<void> {
    for (let i = 0; i < 1000; i += 1)
      await this.ask(tasks.create, { title: `Task ${i}`, notes: 'What is to be done.'.repeat(5) });
  }

  /** What the planner asks is of plans that are known. */
  async analyze(): Promise<void> {
    await this.admin.query('ANALYZE');
  }

  async stop(): Promise<void> {
    await this.admin.end();
    await this.parts.service.close();
    await this.parts.bus.close();
    await this.parts.blobs.close();
  }
}
