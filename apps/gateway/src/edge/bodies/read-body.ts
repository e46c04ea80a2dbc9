import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Problem, type Violation } from '@postroom/contracts';
import type { FastifyRequest } from 'fastify';
import { parse } from 'secure-json-parse';

/** A body that cannot be read. */
export const unreadable = (fr: string, en: string): Problem => {
  const violation: Violation = { field: '', message: { fr, en } };
  return new Problem('INVALID_REQUEST', { violations: [violation] });
};

/** The error for a body whose sender has disconnected. */
export const cutOff = (): Problem => unreadable('corps interrompu', 'the body was cut off');

/** The error for a text that is no JSON. */
export const notJson = (): Problem => unreadable('JSON illisible', 'the body is not valid JSON');

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/**
 * Reads a body up to `bytesMax`. It is called after the guards; until then nothing of the body is read.
 *
 * @throws Problem BODY_TOO_LARGE, INVALID_REQUEST when it is cut off
 */
export async function readBody(
  { headers, raw }: FastifyRequest,
  bytesMax: number,
): Promise<Buffer> {
  if (Number(headers['content-length'] ?? 0) > bytesMax) throw new Problem('BODY_TOO_LARGE');
  return collect(raw, bytesMax);
}

/** A body of any kind; it is empty where it is not UTF-8. */
export const textOfBody = (bytes: Buffer): string => (isUtf8(bytes) ? bytes.toString() : '');

/**
 * Parses a JSON body with Fastify's parser: `__proto__` and `constructor.prototype` are refused. An empty body is an
 * empty object.
 *
 * @throws Problem INVALID_REQUEST
 */
export function parseBody({ headers }: Pick<FastifyRequest, 'headers'>, bytes: Buffer): unknown {
  if (bytes.length === 0) return {};
  requireJsonType(headers);
  if (!isUtf8(bytes)) throw unreadable('texte UTF-8 attendu', 'expected UTF-8 text');
  try {
    return parse(bytes.toString());
  } catch {
    throw notJson();
  }
}

/** @throws Problem INVALID_REQUEST for another media type */
export function requireJsonType(headers: FastifyRequest['headers']): void {
  if (jsonType.test(headers['content-type'] ?? 'application/json')) return;
  throw unreadable('Content-Type application/json attendu', 'expected application/json');
}

async function collect(raw: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // Destroying the stream would close the connection before the answer.
    const stream = raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
    for await (const chunk of stream) {
      size += chunk.length;
      if (size > bytesMax) throw new Problem('BODY_TOO_LARGE');
      chunks.push(chunk);
    }
  } catch (error) {
    raw.resume();
    if (error instanceof Problem) throw error;
    throw cutOff();
  }
  return Buffer.concat(chunks);
}
