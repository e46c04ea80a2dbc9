import { Client, type ClientConfig } from 'pg';
import type { Statement } from './statement.js';
import { Trip, type Answer, type Prepared } from './trip.js';

/**
 * A connection of the pool whose prepared statements travel together: what is asked for before the
 * promises settled by now have run out leaves in one write, is answered in one, and costs one wake-up
 * at either end. The driver writes each query by itself and has each answered by itself.
 */
export class TripClient extends Client {
  /** Why it was lost. */
  loss: Error | undefined;
  private readonly prepared: Prepared = new Map();
  private readonly submit: (trip: Trip) => void;
  private next: Trip | undefined;

  constructor(config?: ClientConfig) {
    super(config);
    this.on('error', (error) => {
      this.loss ??= error;
    });
    const query = this.query.bind(this);
    this.submit = (trip) => {
      query(trip);
    };
    // The driver's own queries (TypeORM's too) keep their place behind what was asked for before.
    Object.assign(this, {
      query: (...asked: Parameters<typeof query>) => {
        this.leave();
        return query(...asked);
      },
    });
  }

  /**
   * Runs a statement.
   * @throws PostgreSQL's refusal of it, or of one before it in its trip: it was not run then
   */
  ask<R extends object>(statement: Statement<R>, values: readonly unknown[]): Promise<Answer<R>> {
    return this.trip().add(statement, values);
  }

  private trip(): Trip {
    if (!this.next) {
      this.next = new Trip(this, this.prepared);
      process.nextTick(() => {
        this.leave();
      });
    }
    return this.next;
  }

  private leave(): void {
    const trip = this.next;
    if (!trip) return;
    this.next = undefined;
    this.submit(trip);
  }
}
