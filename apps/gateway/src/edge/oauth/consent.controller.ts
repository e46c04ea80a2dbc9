import { Controller, Get, Post, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import { readSessionCookie, type MemberCaller } from '@postroom/access';
import { isScope, Problem } from '@postroom/contracts';
import { html } from '@postroom/formats';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  Consents,
  formTarget,
  MemberAuthentication,
  OAuthRefused,
  type Choice,
  type ConsentRequest,
} from '../../access/index.js';
import { GatewayConfig } from '../../config.js';
import { AnonymousBodies } from '../http/anonymous-bodies.js';
import { OriginGuard } from '../http/member-guards.js';
import { Session } from '../http/operations.controllers.js';
import { ApiThrottlerGuard } from '../http/rate-limits.js';
import { enrolmentPage } from '../pages/enrolment.js';
import { formBody } from '../pages/form-body.js';
import { sendPage } from '../pages/layout.js';
import { withNext } from '../pages/next.js';
import { PageFilter } from '../pages/page.filter.js';
import { signInPage } from '../pages/pages.js';
import { consentView, missingIn } from './consent-page.js';
import { oauthPaths } from './paths.js';

const nothing: Choice = { scopes: [], grants: {} };
/** A thousand mailboxes, and the request. */
const bodyMax = 128 * 1024;

/** The page on which a member allows an assistant something, without script. */
@Controller(oauthPaths.authorize)
@UseFilters(PageFilter)
export class ConsentController {
  constructor(
    private readonly consents: Consents,
    private readonly members: MemberAuthentication,
    private readonly bodies: AnonymousBodies,
    private readonly config: GatewayConfig,
  ) {}

  /** Strangers sign in first: nothing is looked up or read for them. */
  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { headers, hostname, url, id } = request;
    const token = readSessionCookie(headers.cookie ?? null, this.config);
    const found = token === null ? null : await this.members.bySession(token, hostname);
    if (found?.standing !== 'whole') {
      const page = found?.standing === 'enrolling' ? enrolmentPage : signInPage;
      await reply.redirect(withNext(page.path, url), 303);
      return;
    }
    const query = new URLSearchParams(url.split('?').slice(1).join('?'));
    await this.answer(reply, async () => {
      const asked = await this.consents.ask(query, found.caller, id);
      await sendConsent(reply, asked, found.caller, nothing, null);
    });
  }

  @Post()
  @UseGuards(OriginGuard, Session, ApiThrottlerGuard)
  async decide(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { state, id } = request;
    const caller = state.authorization?.caller;
    if (caller?.type !== 'member') throw new Problem('UNAUTHENTICATED');
    const form = await this.bodies.readBounded(request, () => formBody(request, bodyMax));
    const sealed = form.get('request') ?? '';
    await this.answer(reply, async () => {
      if (form.get('decision') !== 'allow') {
        await reply.redirect(await this.consents.deny(sealed, caller), 303);
        return;
      }
      const asked = await this.consents.reopen(sealed, caller, id);
      const choice = choiceOf(form, asked);
      const missing = missingIn(choice);
      if (missing !== null) return sendConsent(reply, asked, caller, choice, missing);
      await reply.redirect(await this.consents.allow(asked, choice, caller, id), 303);
    });
  }

  /** A refusal is a page: a browser that went back by itself would lead anywhere a stranger has registered (RFC 9700 §4.11). */
  private async answer(reply: FastifyReply, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof OAuthRefused)) throw error;
      const { description, status, backTo } = error;
      const back = backTo && html`<p><a href="${backTo}">Back to the assistant</a></p>`;
      const text = html`<p class="bad" role="alert">${description}</p>`;
      await sendPage(reply, status, 'This did not work', html`${text}${back}`);
    }
  }
}

const sendConsent = (
  reply: FastifyReply,
  asked: ConsentRequest,
  caller: MemberCaller,
  given: Choice,
  fault: string | null,
): Promise<void> =>
  sendPage(
    reply,
    fault === null ? 200 : 400,
    'Connect an assistant',
    consentView(asked, caller.email, given, fault),
    { goesTo: formTarget(asked.redirectUri) },
  );

const mailbox = 'mailbox:';

/** The choice in a form among what was asked for; whatever else it may say is none. */
function choiceOf(form: URLSearchParams, { scopes }: ConsentRequest): Choice {
  const grants = [...form].flatMap(([name, value]) =>
    name.startsWith(mailbox) && (value === 'read' || value === 'write')
      ? [[name.slice(mailbox.length), value] as const]
      : [],
  );
  const chosen = form.getAll('scope').filter(isScope);
  return {
    scopes: chosen.filter((scope) => scopes.includes(scope)),
    grants: Object.fromEntries(grants),
  };
}
