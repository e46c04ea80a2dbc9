import { Catch, Inject } from '@nestjs/common';
import type { Problem } from '@postroom/contracts';
import { logToken } from '@postroom/operations';
import type { Log } from '@postroom/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { renderProblem } from '../../problems.js';
import { ProblemFilter } from '../http/problem.filter.js';
import { formOf } from './form-body.js';
import { formView, type Fault } from './form-view.js';
import { html } from '@postroom/formats';
import { sendPage } from './layout.js';
import { nextOf } from './next.js';
import { scriptOf } from './page-script.js';
import { formPages } from './pages.js';
import { ProviderOffer } from './provider-offer.js';

/** Shows why a form was refused, in the page that it came from. */
@Catch()
export class PageFilter extends ProblemFilter {
  constructor(
    @Inject(logToken) log: Log,
    private readonly offers: ProviderOffer,
  ) {
    super(log);
  }

  protected override async answer(
    problem: Problem,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const { status, headers } = renderProblem(problem, answering, { requestId: request.id });
    reply.headers(headers);
    const path = request.url.split('?', 1)[0] ?? '';
    const page = formPages.find(({ action }) => action === path);
    const fault = faultOf(problem);
    if (!page) {
      const back = html`<p><a href="/sign-in">To the sign-in</a></p>`;
      const text = html`<p class="bad" role="alert">${fault.message}</p>`;
      return sendPage(reply, status, 'That did not work', html`${text}${back}`);
    }
    const form = formOf(request);
    const given = (name: string): string => form.get(name) ?? '';
    const offer = await this.offers.of(page, request, given('email'));
    const state = { token: form.get('token'), next: nextOf(request), given, fault, offer };
    await sendPage(reply, status, page.title, formView(page, state), {
      script: scriptOf(page),
    });
  }
}

const answering = { errors: 'settings', codes: null, problems: [], scope: null } as const;

function faultOf(problem: Problem): Fault {
  const [first] = problem.violations;
  if (!first) return { field: null, message: sentenceOf(problem) };
  const { en } = first.message;
  return { field: first.field, message: `${en.charAt(0).toUpperCase()}${en.slice(1)}.` };
}

const sentenceOf = (problem: Problem): string => {
  const { body } = renderProblem(problem, answering, { requestId: '' });
  return (body as { readonly message: string }).message;
};
