import type { FastifyRequest } from 'fastify';

/** A header as one text. Node has joined a repeated one already; no header that we read is a list. */
export function headerOf({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join() : value;
}
