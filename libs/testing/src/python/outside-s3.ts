import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../free-port.js';
import { S3mini } from 's3mini';
import { type OutsidePython, pythonWith } from './outside-python.js';

const startMaxMs = 240_000;

let found: OutsidePython | undefined;
const python = (): OutsidePython =>
  (found ??= pythonWith(['moto[s3]==5.2.5', 'flask==3.1.3', 'flask-cors==6.0.2']));

/** An S3 server of an outside make (moto), with a bucket; what it keeps is gone when it stops. */
export class OutsideS3 {
  /** Why there is none; null when there can be. */
  static get missing(): string | null {
    return python().missing;
  }

  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
    private readonly bucket: S3mini,
  ) {}

  /** On a free port, or on the one given. */
  static async start(given?: number): Promise<OutsideS3> {
    const port = given ?? (await freePort());
    const args = ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)];
    const child = spawn('python3', args, { env: python().env, stdio: 'ignore' });
    const bucket = new S3mini({
      ...{ endpoint: `http://127.0.0.1:${port}/letters`, region: 'us-east-1' },
      ...{ accessKeyId: 'key', secretAccessKey: 'sec/ret+' },
    });
    const server = new OutsideS3(child, port, bucket);
    const untilMs = performance.now() + startMaxMs;
    // Not by the client, which names a region where this server wants none.
    while (!(await isMade(bucket.endpoint))) {
      if (child.exitCode !== null) throw new Error('the S3 server ended');
      if (performance.now() > untilMs) {
        await server.stop();
        throw new Error('the S3 server makes no bucket');
      }
      await sleep(100);
    }
    return server;
  }

  /** With its key, as `BLOBS_S3_URL` has it. */
  get url(): string {
    return `http://key:sec%2Fret%2B@127.0.0.1:${this.port}/letters`;
  }

  /** The number of objects. */
  async objects(): Promise<number> {
    return (await this.bucket.listObjects())?.length ?? 0;
  }

  /** The number of uploads that are neither completed nor aborted. */
  async uploads(): Promise<number> {
    const listed = JSON.stringify(await this.bucket.listMultipartUploads());
    return listed.split('"UploadId"').length - 1;
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }
}

const isMade = (bucket: URL): Promise<boolean> =>
  fetch(bucket, { method: 'PUT' }).then(
    ({ ok }) => ok,
    () => false,
  );
