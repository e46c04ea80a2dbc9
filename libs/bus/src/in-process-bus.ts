import type { ServiceName } from '@postroom/contracts';
import { BusUnavailable, type Bus, type RequestHandler, type Unsubscribe } from './bus.js';
import {
  decodeReply,
  decodeRequest,
  encodeReply,
  encodeRequest,
  type BusRecord,
  type ReplyEnvelope,
  type RequestEnvelope,
} from './envelope.js';

type RecordHandler = (record: BusRecord) => Promise<BusRecord>;

/**
 * The bus of a single process (`npm start`, tests). Every envelope is encoded to a record and
 * decoded from it, as on Kafka, so that nothing works here that would not work there.
 */
export class InProcessBus implements Bus {
  private readonly handlers = new Map<ServiceName, RecordHandler>();
  /** What is under way, and which service has it. */
  private readonly inFlight = new Map<Promise<unknown>, ServiceName>();
  private closed = false;

  /** `inFlightMax`: requests under way before new ones are refused. */
  constructor(private readonly inFlightMax = 1_000) {}

  async request(service: ServiceName, request: RequestEnvelope): Promise<ReplyEnvelope> {
    if (this.closed) throw new BusUnavailable('closed');
    const handler = this.handlers.get(service);
    if (!handler) throw new BusUnavailable('no-service');
    if (this.inFlight.size >= this.inFlightMax) throw new BusUnavailable('overloaded');
    const answering = handler(delivered(encodeRequest(request)));
    this.inFlight.set(answering, service);
    try {
      return decodeReply(delivered(await beforeDeadline(answering, request.deadlineMs)));
    } finally {
      void answering.finally(() => this.inFlight.delete(answering)).catch(() => undefined);
    }
  }

  handle(service: ServiceName, handler: RequestHandler): Promise<Unsubscribe> {
    if (this.handlers.has(service)) {
      return Promise.reject(new Error(`${service} is served already`));
    }
    this.handlers.set(service, async (record) => encodeReply(await handler(decodeRequest(record))));
    return Promise.resolve(async () => {
      this.handlers.delete(service);
      await this.drained((other) => other === service);
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.drained(() => true);
  }

  private async drained(concerns: (service: ServiceName) => boolean): Promise<void> {
    const underWay = [...this.inFlight].filter(([, service]) => concerns(service));
    await Promise.allSettled(underWay.map(([answering]) => answering));
  }
}

/** The record at its other end: bytes of its own, that no sender can change any more. */
const delivered = ({ headers, value }: BusRecord): BusRecord => ({
  headers,
  value: Buffer.from(value),
});

async function beforeDeadline<T>(answer: Promise<T>, deadlineMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new BusUnavailable('deadline'));
    }, deadlineMs - Date.now());
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
