import { randomBytes } from 'node:crypto';
import fastifyStatic from '@fastify/static';
import { Controller, Get, Inject, Req, Res, type Type } from '@nestjs/common';
import { readSessionCookie } from '@postroom/access';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GatewayConfig } from '../../config.js';
import { signInPage } from '../pages/pages.js';
import { withNext } from '../pages/next.js';
import { assetsPath, builtConsole, consolePages, mailFramePath } from './console.js';

const built = builtConsole();

const policyOf = (nonce: string): string =>
  [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-robots-tag': 'noindex',
};

/** Answers the console's page; who has no session at all is shown the sign-in at once. */
async function sendConsole(
  request: FastifyRequest,
  reply: FastifyReply,
  config: GatewayConfig,
): Promise<void> {
  if (!built || readSessionCookie(request.headers.cookie ?? null, config) === null) {
    const here = request.url === '/' || !built ? null : request.url;
    await reply.redirect(withNext(signInPage.path, here), 303);
    return;
  }
  const nonce = randomBytes(16).toString('base64url');
  await reply
    .headers({ ...pageHeaders, 'content-security-policy': policyOf(nonce) })
    .send(built.pageWith(nonce));
}

function controllerOf(path: string): Type {
  @Controller(path)
  class ConsoleController {
    constructor(@Inject(GatewayConfig) private readonly config: GatewayConfig) {}

    @Get(path === '/' ? [''] : ['', '*'])
    show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      return sendConsole(request, reply, this.config);
    }
  }
  return ConsoleController;
}

/**
 * The empty document that a message is written into: styles of the mail apply, and nothing of it runs, loads or leads
 * away. Written into a frame of the page itself, the mail would be under the page's policy and lose its styles.
 */
@Controller(mailFramePath)
class MailFrameController {
  @Get()
  async show(@Res() reply: FastifyReply): Promise<void> {
    await reply
      .headers({
        ...pageHeaders,
        'content-security-policy': [
          "default-src 'none'",
          "style-src 'unsafe-inline'",
          "img-src 'self' data:",
          "form-action 'none'",
          "base-uri 'none'",
          "frame-ancestors 'self'",
          'sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox',
        ].join('; '),
      })
      .send('<!doctype html><html><head><meta charset="utf-8"></head><body></body></html>');
  }
}

export const consoleControllers: readonly Type[] = [
  ...consolePages.map(controllerOf),
  MailFrameController,
];

/** Serves the files of the build, whose names change with their content. */
export async function serveAssets(fastify: FastifyInstance): Promise<void> {
  if (!built) return;
  await fastify.register(fastifyStatic, {
    root: built.assets,
    prefix: `${assetsPath}/`,
    // The files are listed at start: any other name is an unknown route.
    wildcard: false,
    ...{ preCompressed: true, immutable: true, maxAge: '1y', decorateReply: false, index: false },
  });
}
