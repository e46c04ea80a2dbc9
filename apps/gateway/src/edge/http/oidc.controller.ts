import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { mountPoints, oidcSessions, type SignInAnswer } from '@postroom/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  OidcRefused,
  OpenIdConnect,
  MemberAuthentication,
  ServiceCalls,
} from '../../access/index.js';
import { GatewayConfig } from '../../config.js';
import { html } from '@postroom/formats';
import { sendPage } from '../pages/layout.js';
import { nextOf } from '../pages/next.js';
import { onwardOf } from '../pages/onward.js';
import { refusedOf, signInOf } from './member-strategies.js';
import { oidcFaults } from './oidc-faults.js';
import { OidcRequests } from './oidc-requests.js';

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
      const next = nextOf(request);
      const { url, cookie } = await this.oidc.start(wanted, request.hostname, next);
      await reply.header('set-cookie', cookie).redirect(url, 303);
    });
  }

  @Get(['callback', 'callback/:tenantId'])
  async finish(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.answer(request, reply, async () => {
      const { headers, hostname, id: requestId, state, url } = request;
      const [path = ''] = url.split('?');
      const { member, next, facts } = await this.oidc.finish(
        ...([path, queryOf(request), headers.cookie, hostname] as const),
      );
      const signing = await this.members.signingIn(member, signInOf(request, this.config));
      state.authorization = signing;
      const { caller } = signing;
      const begun = await this.calls.make({
        operation: oidcSessions.begin,
        caller,
        input: facts,
        requestId,
      });
      for (const [name, value] of Object.entries(begun.headers)) reply.header(name, value);
      const answer = JSON.parse(begun.body.toString()) as SignInAnswer;
      await reply.redirect(onwardOf(answer, next), 303);
    });
  }

  private async answer(
    { ip, state }: FastifyRequest,
    reply: FastifyReply,
    work: () => Promise<void>,
  ): Promise<void> {
    reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    try {
      await this.requests.runLimited(ip, work);
    } catch (error) {
      if (!(error instanceof OidcRefused)) throw error;
      if (error.member) state.refusedMember = refusedOf(error.member);
      const { status, says } = oidcFaults[error.fault];
      if (status === 503) reply.header('retry-after', '30');
      const back = html`<p><a href="/sign-in">Back to sign-in</a></p>`;
      await sendPage(
        reply,
        status,
        'Sign in',
        html`<p class="bad" role="alert">${says}</p>
          ${back}`,
      );
    }
  }
}

const queryOf = ({ url }: FastifyRequest): string => url.split('?').slice(1).join('?');
