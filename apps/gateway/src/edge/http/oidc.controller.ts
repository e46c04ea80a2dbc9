import { Controller, Get, Inject, Injectable, Req, Res } from '@nestjs/common';
import { mountPoints, oidcSessions, Problem } from '@postroom/contracts';
import { Budget, networkOwners, SlidingWindow } from '@postroom/limits';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  OidcRefused,
  OpenIdConnect,
  MemberAuthentication,
  ServiceCalls,
} from '../../access/index.js';
import { GatewayConfig } from '../../config.js';
import { limits, rates } from '../../limits.js';
import { signInOf } from './member-strategies.js';
import { oidcPage } from './oidc-pages.js';

/** Bounds what strangers have us ask of providers. */
@Injectable()
export class OidcRequests {
  private readonly places = new Budget(limits.oidcRequests);
  private readonly recent = new SlidingWindow();

  /** @throws Problem RATE_LIMITED */
  requireRoom(clientAddress: string): void {
    const { network } = networkOwners(clientAddress);
    const most = rates.oidcSignIns.perMinute;
    const { allowed, resetSeconds } = this.recent.take(network, most, 60_000, performance.now());
    if (allowed) return;
    throw new Problem('RATE_LIMITED', { headers: { 'retry-after': String(resetSeconds) } });
  }

  /** @throws LimitReached when too many are under way */
  run<T>(clientAddress: string, work: () => Promise<T>): Promise<T> {
    return this.places.run(networkOwners(clientAddress), work, { waitMaxMs: 2_000 });
  }
}

/** `GET /oidc/start` and `/oidc/callback` (`decisions.md` §9): redirects and pages, for browsers alone. */
@Controller(`${mountPoints.member}/oidc`)
export class OidcController {
  constructor(
    private readonly oidc: OpenIdConnect,
    private readonly members: MemberAuthentication,
    private readonly calls: ServiceCalls,
    private readonly config: GatewayConfig,
    @Inject(OidcRequests) private readonly requests: OidcRequests,
  ) {}

  @Get('start')
  async start(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    this.requests.requireRoom(request.ip);
    await this.answer(request, reply, async () => {
      const asked = new URLSearchParams(queryOf(request));
      const wanted = {
        workspace: asked.get('workspace') ?? undefined,
        email: asked.get('email') ?? undefined,
      };
      const { url, cookie } = await this.oidc.start(wanted, request.hostname);
      await reply.header('set-cookie', cookie).redirect(url, 303);
    });
  }

  @Get('callback')
  async finish(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.answer(request, reply, async () => {
      const { headers, hostname, id: requestId, state } = request;
      const { member, signOutUrl } = await this.oidc.finish(
        ...([queryOf(request), headers.cookie, hostname] as const),
      );
      const signing = await this.members.signingIn(member, signInOf(request, this.config));
      state.authorization = signing;
      const { caller } = signing;
      const input = signOutUrl === null ? {} : { signOutUrl };
      const begun = await this.calls.make({
        operation: oidcSessions.begin,
        caller,
        input,
        requestId,
      });
      for (const [name, value] of Object.entries(begun.headers)) reply.header(name, value);
      await reply.redirect(new URL('/', this.config.publicUrl).href, 303);
    });
  }

  private async answer(
    { ip }: FastifyRequest,
    reply: FastifyReply,
    work: () => Promise<void>,
  ): Promise<void> {
    reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    try {
      await this.requests.run(ip, work);
    } catch (error) {
      if (!(error instanceof OidcRefused)) throw error;
      const { status, headers, html } = oidcPage(error.fault);
      await reply.code(status).headers(headers).send(html);
    }
  }
}

const queryOf = ({ url }: FastifyRequest): string => url.split('?').slice(1).join('?');
