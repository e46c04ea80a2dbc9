import {
  Controller,
  Get,
  Inject,
  Injectable,
  Post,
  Req,
  Res,
  SetMetadata,
  UseFilters,
  UseGuards,
  type CanActivate,
  type Type,
} from '@nestjs/common';
import { readSessionCookie } from '@postroom/access';
import { Problem } from '@postroom/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Invoker, MemberAuthentication, type SessionAuthorization } from '../../access/index.js';
import { GatewayConfig } from '../../config.js';
import { Authenticated, ChecksGuard, OperationGuard, operationMetadata } from '../http/guards.js';
import { OriginGuard } from '../http/member-guards.js';
import { strategyOf } from '../http/member-strategies.js';
import { Session } from '../http/operations.controllers.js';
import { ApiThrottlerGuard } from '../http/rate-limits.js';
import { enrolmentPage } from './enrolment.js';
import { FormGuard } from './form-body.js';
import type { FormPage } from './form-page.js';
import { formView } from './form-view.js';
import { scriptOf } from './page-script.js';
import { html } from '@postroom/formats';
import { sendPage } from './layout.js';
import { nextOf } from './next.js';
import { onwardOf } from './onward.js';
import { PageFilter } from './page.filter.js';
import { formPages, newPasswordPage, resetPage, signInPage, signOut } from './pages.js';
import { ProviderOffer, queried } from './provider-offer.js';
import { StylesheetController } from './stylesheet.js';

/** Shows pages and sends their forms to operations, through the same guards as requests of the settings API. */
@Injectable()
export class Pages {
  constructor(
    private readonly invoker: Invoker,
    private readonly members: MemberAuthentication,
    private readonly offers: ProviderOffer,
    private readonly config: GatewayConfig,
  ) {}

  /** Nothing is used up by it: scanners of mail open every link. */
  async show(page: FormPage, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const token = queried(request, 'token');
    const shown = page === resetPage && token !== undefined ? newPasswordPage : page;
    const found = page === signInPage ? await this.signedIn(request) : null;
    if (found) return showSignedIn(reply, found);
    const takesToken = shown.operation.fields.body.some(({ name }) => name === 'token');
    const state = {
      token: takesToken ? (token ?? '') : null,
      next: nextOf(request),
      given: (name: string) => (name === 'email' ? (queried(request, name) ?? '') : ''),
      fault: null,
      offer: await this.offers.of(page, request),
    };
    await sendPage(reply, 200, shown.title, formView(shown, state), {
      script: scriptOf(shown),
    });
  }

  async submit(
    { operation, done }: Pick<FormPage, 'operation' | 'done'>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const { authorization, input } = request.state;
    if (!authorization) throw new Problem('UNAUTHENTICATED');
    const asked = { operation, authorization, input: input ?? {}, idempotencyKey: undefined };
    const { headers, body } = await this.invoker.execute({ ...asked, requestId: request.id });
    reply.headers({ 'x-request-id': request.id, ...headers });
    const next = nextOf(request);
    const answer = JSON.parse(body.toString()) as object;
    const shown = done?.(answer, next);
    if (shown) return sendPage(reply, 200, shown.title, shown.body);
    await reply.redirect(onwardOf(answer, next), 303);
  }

  /** The member who is signed in; a sign-in that waits for its second factor may begin anew. */
  private async signedIn({
    headers,
    hostname,
  }: FastifyRequest): Promise<SessionAuthorization | null> {
    const token = readSessionCookie(headers.cookie ?? null, this.config);
    const found = token === null ? null : await this.members.bySession(token, hostname);
    return found?.standing === 'half' ? null : found;
  }
}

async function showSignedIn(
  reply: FastifyReply,
  { caller, standing }: SessionAuthorization,
): Promise<void> {
  const { name, email } = caller;
  const enrol = html`<p>
    Your workspace asks for a second factor of all.
    <a href="${enrolmentPage.path}">Set it up</a> before you go on.
  </p>`;
  await sendPage(
    reply,
    200,
    'You are signed in',
    html`<dl>
        <dt>Name</dt>
        <dd>${name}</dd>
        <dt>Email address</dt>
        <dd>${email}</dd>
      </dl>
      ${standing === 'enrolling' ? enrol : null}
      <form method="post" action="${signOut.path}">
        <button type="submit" class="quiet">Sign out</button>
      </form>`,
  );
}

/** The guards of a form, in the order of those of its operation. */
const guardsOf = ({ operation }: FormPage): Type<CanActivate>[] =>
  operation.audience === 'anyone'
    ? [OriginGuard, FormGuard, Authenticated(strategyOf(operation)), ChecksGuard]
    : [OriginGuard, Session, ApiThrottlerGuard, FormGuard, ChecksGuard];

function controllerOf(page: FormPage): Type {
  @Controller(page.path)
  @UseFilters(PageFilter)
  class FormController {
    constructor(@Inject(Pages) private readonly pages: Pages) {}

    @Get()
    show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      return this.pages.show(page, request, reply);
    }

    @Post()
    @SetMetadata(operationMetadata, page.operation)
    @UseGuards(OperationGuard, ...guardsOf(page))
    submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      return this.pages.submit(page, request, reply);
    }
  }
  return FormController;
}

/** The button of the sign-in page by which a member signs out. */
@Controller(signOut.path)
@UseFilters(PageFilter)
class SignOutController {
  constructor(private readonly pages: Pages) {}

  @Post()
  @SetMetadata(operationMetadata, signOut.operation)
  @UseGuards(OperationGuard, OriginGuard, Session, ApiThrottlerGuard, ChecksGuard)
  submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.pages.submit(signOut, request, reply);
  }
}

export const pageControllers: readonly Type[] = [
  ...formPages.map(controllerOf),
  SignOutController,
  StylesheetController,
];
