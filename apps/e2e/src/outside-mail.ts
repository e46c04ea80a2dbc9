import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { OutsidePython } from '@postroom/testing';

const program = (name: string): string =>
  fileURLToPath(new URL(`../python/${name}`, import.meta.url));

/** The servers of `mail_sink.py`; each accepts mail under other conditions. */
export type OutsideServer = 'plain' | 'ascii' | 'starttls' | 'smtps' | 'strange' | 'bare';

type Named = readonly [name: string, address: string];

/** A message as Python reads it. */
export interface ReadMessage {
  readonly envelope: {
    readonly server: OutsideServer;
    readonly from: string;
    readonly to: readonly string[];
    readonly utf8: boolean;
    readonly tls: boolean;
    readonly user: string | null;
  };
  readonly form: {
    readonly longest: number;
    readonly longestOfHead: number;
    readonly unfolded: readonly string[];
    readonly isAscii: boolean;
    readonly bareLineEnds: number;
    readonly emptyFolds: number;
  };
  readonly defects: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly names: readonly string[];
  readonly from: readonly Named[];
  readonly to: readonly Named[];
  readonly cc: readonly Named[];
  /** Epoch milliseconds. */
  readonly date: number;
  readonly text: string | null;
  readonly html: string | null;
  readonly attachments: readonly {
    readonly filename: string | null;
    readonly type: string;
    readonly base64: string;
  }[];
  readonly dkim: boolean | null;
}

/** The messages and passwords that the servers received. */
export interface ReadBack {
  readonly messages: readonly ReadMessage[];
  readonly passwords: readonly {
    readonly server: OutsideServer;
    readonly user: string;
    readonly password: string;
  }[];
}

/** Mail servers and a message parser that share no code with the product. */
export class OutsideMail {
  private constructor(
    private readonly python: OutsidePython,
    private readonly folder: string,
    private readonly child: ChildProcessByStdio<Writable, Readable, null>,
    readonly ports: Readonly<Record<OutsideServer, number>>,
  ) {}

  static async start(python: OutsidePython): Promise<OutsideMail> {
    const folder = await mkdtemp(join(tmpdir(), 'postroom-e2e-outside-'));
    const child = spawn('python3', [program('mail_sink.py'), folder], {
      env: python.env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit').then(() => {
      throw new Error('the outside mail servers ended');
    });
    const begun = once(createInterface(child.stdout), 'line') as Promise<[string]>;
    const [line] = await Promise.race([begun, ended]);
    // Stopped at the end of the run.
    ended.catch(() => undefined);
    return new OutsideMail(python, folder, child, JSON.parse(line) as OutsideMail['ports']);
  }

  /** The certificate authority of the servers with TLS, except `strange`. */
  get authorityFile(): string {
    return join(this.folder, 'ca.pem');
  }

  /** @param names TXT records, for DKIM */
  async read(names: Readonly<Record<string, string>> = {}): Promise<ReadBack> {
    const args = [program('read_back.py'), this.folder, JSON.stringify(names)];
    const options = { env: this.python.env, maxBuffer: 256 * 1024 * 1024 };
    return JSON.parse((await promisify(execFile)('python3', args, options)).stdout) as ReadBack;
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.stdin.end();
    await ended;
    await rm(this.folder, { recursive: true, force: true });
  }
}
