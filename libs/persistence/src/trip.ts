import { Query, type Connection, type FieldDef } from 'pg';
import utils from 'pg/lib/utils.js';
import type { Statement } from './statement.js';

/** What a statement was answered. */
export interface Answer<R extends object> {
  readonly rows: R[];
  /** PostgreSQL's word for what was done, such as `COMMIT`. */
  readonly command: string;
}

type Parser = (text: string) => unknown;

/** Who knows how PostgreSQL's types are read. */
interface Types {
  readonly getTypeParser: (oid: number, format: 'text') => Parser;
}

/** How a statement's rows are read; the server tells it once a connection. */
interface Shape {
  readonly names: readonly string[];
  readonly parsers: readonly Parser[];
  /** A row of nothing: copied, as a row that grows property by property costs more. */
  readonly blank: Readonly<Record<string, unknown>>;
}

/** The statements a connection has prepared, by name; without a shape while the first is under way. */
export type Prepared = Map<string, Shape | null>;

/** A statement of a trip, and who waits for it. */
interface Call {
  readonly statement: Statement<object>;
  readonly values: readonly unknown[];
  readonly rows: object[];
  readonly resolve: (answer: Answer<never>) => void;
  readonly reject: (error: unknown) => void;
  shape: Shape | null;
  /** Whether this trip prepares it. */
  prepares: boolean;
}

const noColumns: Shape = { names: [], parsers: [], blank: {} };

/**
 * Statements that leave in one write, with one Sync behind them (PostgreSQL, "Extended Query",
 * "Pipelining"): the server answers all of them at once, and past one that fails it runs none.
 * The driver calls the `handle…` methods with the messages of the answer.
 */
export class Trip {
  private readonly calls: Call[] = [];
  /** The one whose answer comes next. */
  private at = 0;
  /** The last one's answer, until all is committed. */
  private ending: { readonly call: Call; readonly answer: Answer<never> } | null = null;

  constructor(
    private readonly types: Types,
    private readonly prepared: Prepared,
  ) {}

  add<R extends object>(statement: Statement<R>, values: readonly unknown[]): Promise<Answer<R>> {
    return new Promise((resolve, reject) => {
      const rows: object[] = [];
      this.calls.push({ statement, values, rows, resolve, reject, shape: null, prepares: false });
    });
  }

  submit(connection: Connection): null {
    const { stream } = connection;
    stream.cork();
    for (const [index, call] of this.calls.entries()) {
      try {
        this.send(connection, call);
      } catch (error) {
        // A value that is no text of any type: nobody is told of it, and of what stands behind it.
        this.fail(index, error);
        break;
      }
    }
    connection.sync();
    stream.uncork();
    return null;
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    const call = this.calls[this.at];
    if (!call) return;
    const names = fields.map(({ name }) => name);
    call.shape = {
      names,
      parsers: fields.map(({ dataTypeID }) => this.types.getTypeParser(dataTypeID, 'text')),
      blank: Object.fromEntries(names.map((name) => [name, null])),
    };
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const call = this.calls[this.at];
    if (!call?.shape) return;
    try {
      call.rows.push(rowOf(call.shape, fields));
    } catch (error) {
      call.reject(error);
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const call = this.calls[this.at++];
    if (!call) return;
    this.prepared.set(call.statement.name, call.shape ?? noColumns);
    const [command = ''] = text.split(' ', 1);
    const answer = { rows: call.rows as never[], command };
    if (this.at === this.calls.length) this.ending = { call, answer };
    else call.resolve(answer);
  }

  /** Of PostgreSQL, or of a connection that is lost. */
  handleError(error: unknown): void {
    this.ending?.call.reject(error);
    this.ending = null;
    this.fail(this.at, error);
  }

  /** What is in no transaction commits at the Sync, after its statement has been said to be complete. */
  handleReadyForQuery(): void {
    this.ending?.call.resolve(this.ending.answer);
  }

  private send(connection: Connection, call: Call): void {
    const { name, text } = call.statement;
    const shape = this.prepared.get(name);
    call.shape = shape ?? null;
    if (shape === undefined) {
      // One that failed when it was prepared may be there or not.
      connection.close({ type: 'S', name }, true);
      connection.parse({ name, text, types: [] }, true);
      this.prepared.set(name, null);
      call.prepares = true;
    }
    const texts = call.values.map(utils.prepareValue);
    connection.bind({ statement: name, values: texts }, true);
    if (!shape) connection.describe({ type: 'P' }, true);
    connection.execute({}, true);
  }

  /** The one at `from` has failed; those behind it are not run, for the same reason. */
  private fail(from: number, error: unknown): void {
    for (const { statement, prepares, reject } of this.calls.splice(from)) {
      if (prepares) this.prepared.delete(statement.name);
      reject(error);
    }
  }
}

// The driver takes nothing else into a pipeline, and calls nothing of it that is not here.
Object.setPrototypeOf(Trip.prototype, Query.prototype);

function rowOf({ names, parsers, blank }: Shape, texts: readonly (string | null)[]): object {
  const row = { ...blank };
  for (let i = 0; i < names.length; i += 1) {
    const text = texts[i];
    row[names[i] ?? ''] = typeof text === 'string' ? parsers[i]?.(text) : null;
  }
  return row;
}
