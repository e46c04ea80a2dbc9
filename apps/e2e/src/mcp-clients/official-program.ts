import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';

/** The output of a program, one JSON object a line. */
export type ProgramOutput = Readonly<Record<string, unknown>>;

/** A client that runs as a process: it tells what it sees, and waits where it is told to. */
export class OfficialProgram {
  private readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  private readonly lines: AsyncIterator<string>;
  private readonly complaints: Promise<string>;

  constructor(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
    this.child = spawn(command, [...args], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
    this.lines = createInterface(this.child.stdout)[Symbol.asyncIterator]();
    this.complaints = text(this.child.stderr);
  }

  /** The next line. @throws Error with what it printed, when it has ended */
  async next(): Promise<ProgramOutput> {
    const line = await this.lines.next();
    if (line.done) throw new Error(`the client ended: ${await this.complaints}`);
    return JSON.parse(line.value) as ProgramOutput;
  }

  /** @param told what it waits for, where that is more than a line */
  goOn(told = ''): void {
    this.child.stdin.write(`${told}\n`);
  }

  async end(): Promise<number | null> {
    if (this.child.exitCode === null) await once(this.child, 'exit');
    return this.child.exitCode;
  }
}

/** Runs a program to its end. */
export async function run(
  command: string,
  args: readonly string[],
  cwd: string,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(command, [...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (child.exitCode === null) await once(child, 'exit');
  return { code: child.exitCode, output: output + complaints };
}
