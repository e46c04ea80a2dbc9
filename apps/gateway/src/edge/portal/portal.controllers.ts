import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import { Controller, Get, Req, Res, type Type } from '@nestjs/common';
import { Problem } from '@postroom/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** The folder that the build of apps/portal writes. */
const folder = fileURLToPath(
  new URL('dist/site/', import.meta.resolve('@postroom/portal/package.json')),
);

export const portalPaths = ['/docs', '/llms.txt'] as const;

/** The files by their addresses; none where nothing was built. A page's address has no `.html`. */
const files: ReadonlyMap<string, string> = new Map(
  (existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [])
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .map((file) => [`/${file.replace(/(?:\/index)?\.html$/, '')}`, file]),
);

const read = (file: string): Buffer | null =>
  existsSync(folder + file) ? readFileSync(folder + file) : null;
const notFound = read('docs/not-found.html');
const notFoundText = read('docs/not-found.md');

const headers = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  // An address may hold a key that a reader pasted there.
  'referrer-policy': 'no-referrer',
};

const isHashed = (path: string): boolean => path.startsWith('/docs/assets/');

async function sendFile({ url }: FastifyRequest, reply: FastifyReply): Promise<void> {
  const path = (url.split('?', 1)[0] ?? '').replace(/\/$/, '');
  const file = files.get(path);
  // A reply is a promise of its end: it is not to be awaited before something is sent.
  void reply.headers({
    ...headers,
    'cache-control': isHashed(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
  });
  if (file === undefined) {
    if (notFound === null) throw new Problem('ROUTE_NOT_FOUND');
    // A program that asks for Markdown reads no HTML.
    const isText = /\.(?:md|txt)$/.test(path);
    const type = `text/${isText ? 'markdown' : 'html'}; charset=utf-8`;
    await reply
      .code(404)
      .type(type)
      .send(isText ? notFoundText : notFound);
    return;
  }
  if (file.endsWith('.html'))
    void reply.header(
      'link',
      `<${path === '/docs' ? '/docs/index' : path}.md>; rel="alternate"; type="text/markdown"`,
    );
  await reply.sendFile(file);
}

function controllerOf(path: string): Type {
  @Controller(path)
  class PortalController {
    @Get(['', '*'])
    show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      return sendFile(request, reply);
    }
  }
  return PortalController;
}

/** The pages for integrators, which are public. */
export const portalControllers: readonly Type[] = portalPaths.map(controllerOf);

/** Lets {@link portalControllers} send files, which they name by addresses that are listed at start. */
export async function servePortal(fastify: FastifyInstance): Promise<void> {
  if (notFound !== null)
    await fastify.register(fastifyStatic, { root: folder, serve: false, cacheControl: false });
}
