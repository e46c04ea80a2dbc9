import { connect, type Socket } from 'node:net';

/** The answer of a server. */
export interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

const headEnd = '\r\n\r\n';
const contentLength = /^content-length: *(\d+)/im;

/**
 * One keep-alive HTTP/1.1 connection with one request under way at a time. Written by hand because
 * the load shares two cores with the server: a general client costs as much as what is measured. It
 * supports only answers with a Content-Length, which all our servers give.
 */
export class Connection {
  private waiting: Waiting | undefined;
  private chunks: Buffer[] = [];
  /** Remaining bytes of the body; null until the head is complete. */
  private left: number | null = null;
  private status = 0;

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => {
      this.take(chunk);
    });
    socket.on('error', (error) => this.waiting?.reject(error));
    socket.on('close', () => this.waiting?.reject(new Error('the server closed the connection')));
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => {
        resolve(new Connection(socket));
      });
      socket.once('error', reject);
    });
  }

  /** Sends a request as it is, head and body, in parts or whole, and waits for its answer. */
  ask(...request: readonly (string | Buffer)[]): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      for (const part of request) this.socket.write(part);
    });
  }

  close(): void {
    this.waiting = undefined;
    this.socket.destroy();
  }

  private take(chunk: Buffer): void {
    if (this.left === null) {
      this.readHead(chunk);
    } else {
      this.chunks.push(chunk);
      this.left -= chunk.length;
    }
    if (this.left === 0) this.finish();
  }

  private readHead(chunk: Buffer): void {
    const received = this.chunks.length === 0 ? chunk : Buffer.concat([...this.chunks, chunk]);
    const end = received.indexOf(headEnd);
    if (end < 0) {
      this.chunks = [received];
      return;
    }
    const head = received.toString('latin1', 0, end);
    const body = received.subarray(end + headEnd.length);
    this.status = Number(head.slice(9, 12));
    this.left = Number(contentLength.exec(head)?.[1]) - body.length;
    this.chunks = [body];
    if (!(this.left >= 0)) this.waiting?.reject(new Error(`cannot read the answer: ${head}`));
  }

  private finish(): void {
    const { waiting, status, chunks } = this;
    this.left = null;
    this.chunks = [];
    this.waiting = undefined;
    waiting?.resolve({ status, body: Buffer.concat(chunks) });
  }
}
