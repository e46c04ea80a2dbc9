import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { byReferenceOverBytes } from '@postroom/bus';
import { FileAnswer, nextPartHeader } from '@postroom/contracts';
import { Budget } from '@postroom/limits';
import type { Reading } from '@postroom/operations';
import { limits } from '../limits.js';

/** The longest rest after a part: 4 MiB a second leave however busy the thread is. */
const restMaxMs = 64;

/** A part of a file, and where the next one begins: null for the last one. */
export interface FilePart {
  readonly bytes: Buffer;
  readonly next: string | null;
}

/** A file that is read part by part. */
export interface FileContent {
  readonly id: string;
  readonly size: number;
  /** @param at where it begins; null for the first one */
  readonly readPart: (at: string | null) => Promise<FilePart>;
}

/** The content of what is kept as it is: parts are read from the place of their first byte. */
export const plainContent = (
  { id, size }: Pick<FileContent, 'id' | 'size'>,
  bytesFrom: (start: number) => Promise<Buffer>,
): FileContent => ({
  ...{ id, size },
  readPart: async (at) => {
    const start = Number(at ?? 0);
    const bytes = size === 0 ? Buffer.alloc(0) : await bytesFrom(start);
    const end = start + bytes.length;
    return { bytes, next: end < size ? String(end) : null };
  },
});

/**
 * Answers files. Of a large one the gateway asks for part after part as its client reads it, so that parts that are
 * not read cost nothing. Workspaces share it fairly, and after each part the thread is left to others for as long as it took.
 */
@Injectable()
export class LargeFiles {
  private readonly queue = new Budget(limits.largeFiles);
  private restUntilMs = 0;

  /**
   * @param headers those of the answer
   * @throws LimitReached when too many wait, and whatever the content throws
   */
  async answer(
    reading: Reading,
    content: FileContent,
    headers: Readonly<Record<string, string>>,
  ): Promise<FileAnswer> {
    if (content.size <= byReferenceOverBytes)
      return new FileAnswer(await wholeOf(content), headers);
    const { bytes, headers: next } = await this.part(reading, content, null);
    return new FileAnswer(bytes, { ...headers, 'content-length': String(content.size), ...next });
  }

  /** Answers the part that begins at a place. @throws as {@link answer} */
  async part(
    { tenantId, deadlineMs }: Pick<Reading, 'tenantId' | 'deadlineMs'>,
    { id, readPart }: FileContent,
    at: string | null,
  ): Promise<FileAnswer> {
    const read = () => this.whenRested(() => readPart(at));
    const waitMaxMs = deadlineMs - Date.now();
    const { bytes, next } = await this.queue.runInTurn({ workspace: tenantId }, read, {
      waitMaxMs,
    });
    return new FileAnswer(
      bytes,
      next === null ? {} : { [nextPartHeader]: nameOf({ id, at: next }) },
    );
  }

  /** Reads once the rest after the part before is over. What a part costs is not known, so all work of the thread counts. */
  private async whenRested<T>(read: () => Promise<T>): Promise<T> {
    await sleep(Math.max(0, this.restUntilMs - performance.now()));
    const before = performance.eventLoopUtilization();
    try {
      return await read();
    } finally {
      const { active } = performance.eventLoopUtilization(before);
      this.restUntilMs = performance.now() + Math.min(active, restMaxMs);
    }
  }
}

/** A part of a file, as the answer before it names it. */
interface NamedPart {
  readonly id: string;
  readonly at: string;
}

const nameOf = ({ id, at }: NamedPart): string => `${id}/${at}`;

/** The part of that name. */
export function partNamed(name: string): NamedPart {
  const length = name.indexOf('/');
  return { id: name.slice(0, length), at: name.slice(length + 1) };
}

async function wholeOf({ readPart }: FileContent): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let at: string | null = null; ;) {
    const { bytes, next } = await readPart(at);
    parts.push(bytes);
    if (next === null) return Buffer.concat(parts);
    at = next;
  }
}
