import type { FastifyRequest } from 'fastify';

const ours = 'https://ours.invalid';
/** An assistant’s request has long addresses in it. */
const lengthMax = 4_000;

/** The destination after a sign-in: a path of this deployment; null for anything else. */
export function nextOf({ query }: Pick<FastifyRequest, 'query'>): string | null {
  const { next } = query as { readonly next?: unknown };
  if (typeof next !== 'string' || !next.startsWith('/') || next.length > lengthMax) return null;
  const url = URL.parse(next, ours);
  // A browser takes a path of two slashes for another host.
  if (url?.origin !== ours || url.pathname.startsWith('//')) return null;
  const path = `${url.pathname}${url.search}`;
  return path.length <= lengthMax ? path : null;
}

/** A path of ours that goes on there afterwards. */
export const withNext = (path: string, next: string | null): string =>
  next === null ? path : `${path}?next=${encodeURIComponent(next)}`;
