import { Inject, Injectable } from '@nestjs/common';
import { mountPoints } from '@postroom/contracts';
import type { FastifyRequest } from 'fastify';
import { OpenIdConnect } from '../../access/index.js';
import { OidcRequests } from '../http/oidc-requests.js';
import type { FormPage } from './form-page.js';
import { html, type Html } from '@postroom/formats';
import { nextOf } from './next.js';
import { signInPage } from './pages.js';

/**
 * The way to a workspace's provider from a page: a link, since browsers stop a form whose answer leads to another
 * site.
 */
@Injectable()
export class ProviderOffer {
  constructor(
    private readonly oidc: OpenIdConnect,
    @Inject(OidcRequests) private readonly requests: OidcRequests,
  ) {}

  /** @param given the address in the form that was sent */
  async of(page: FormPage, request: FastifyRequest, given = ''): Promise<Html | null> {
    const next = nextOf(request);
    const { refusedMember } = request.state;
    if (refusedMember) return link({ workspace: refusedMember.tenantId }, next);
    if (page !== signInPage) return null;
    const workspace = queried(request, 'workspace');
    const asked = queried(request, 'email');
    const email = asked ?? (given === '' ? undefined : given);
    const wanted = { ...(workspace && { workspace }), ...(email && { email }) };
    // A page without the offer is better than none.
    const offered = await this.requests
      .runLimited(request.ip, () => this.oidc.offered(wanted, request.hostname))
      .catch(() => 'none');
    if (offered === 'this') return link(wanted, next);
    return offered === 'some' ? question(asked !== undefined, next) : null;
  }
}

/** A parameter of the page's address. */
export function queried({ query }: FastifyRequest, name: string): string | undefined {
  const value = (query as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' ? value : undefined;
}

function link(wanted: Readonly<Record<string, string>>, next: string | null): Html {
  const asked = new URLSearchParams({ ...wanted, ...(next !== null && { next }) });
  const href = `${mountPoints.member}/oidc/start?${asked.toString()}`;
  return html`<p class="more"><a class="button" href="${href}">Sign in with your provider</a></p>`;
}

/** Asks for the address whose domain says which provider it is. */
const question = (isUnknown: boolean, next: string | null): Html =>
  html`<details class="more" ${isUnknown ? html`open` : null}>
    <summary>Sign in with your provider</summary>
    ${isUnknown ? unknown : null}
    <form method="get" action="${signInPage.path}">
      ${next === null ? null : html`<input type="hidden" name="next" value="${next}" /> `}<label
        for="address"
        >Your email address</label
      >
      <input id="address" name="email" type="email" autocomplete="username" required />
      <button type="submit" class="quiet">Go on</button>
    </form>
  </details>`;

const unknown = html`<p class="bad" role="alert">
  No single workspace signs in with a provider under this address. Ask your administrator for the
  link of your workspace.
</p>`;
