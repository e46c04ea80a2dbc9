import type { FastifyRequest } from 'fastify';

/**
 * A header as one text; no header that we read is a list. One that came twice, which Node has joined by
 * a comma, is joined by what no header holds: it has no form that anything takes.
 */
export function headerOf({ headers, raw }: FastifyRequest, name: string): string | undefined {
  const value = headers[name];
  const isMany = Array.isArray(value) || value?.includes(',') === true;
  return isMany ? raw.headersDistinct[name]?.join('\n') : value;
}
