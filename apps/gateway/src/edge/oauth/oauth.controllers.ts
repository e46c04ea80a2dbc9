import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { agentScopes, Problem } from '@postroom/contracts';
import { networkOwners, SlidingWindow } from '@postroom/limits';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  Consents,
  OAuthClients,
  OAuthRefused,
  OAuthTokens,
  parametersOf,
  type Parameters,
  type Presented,
} from '../../access/index.js';
import { rates } from '../../limits.js';
import { parseBody, readBody } from '../bodies/read-body.js';
import { AnonymousBodies } from '../http/anonymous-bodies.js';
import { formBody } from '../pages/form-body.js';
import { oauthPaths } from './paths.js';

/** Metadata of the tools' address (RFC 9728), and of the server of authorizations (RFC 8414). */
@Controller()
export class OAuthMetadataController {
  constructor(private readonly consents: Consents) {}

  @Get([oauthPaths.resource, oauthPaths.resourceOfMcp])
  resource(): object {
    const { issuer, resource } = this.consents;
    return {
      resource,
      resource_name: 'Postroom',
      authorization_servers: [issuer],
      scopes_supported: agentScopes,
      bearer_methods_supported: ['header'],
      resource_documentation: `${issuer}/docs/guides/mcp`,
    };
  }

  @Get(oauthPaths.server)
  server(): object {
    const { issuer } = this.consents;
    return {
      issuer,
      authorization_endpoint: issuer + oauthPaths.authorize,
      token_endpoint: issuer + oauthPaths.token,
      registration_endpoint: issuer + oauthPaths.register,
      revocation_endpoint: issuer + oauthPaths.revoke,
      scopes_supported: agentScopes,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      service_documentation: `${issuer}/docs/guides/mcp`,
    };
  }
}

const bodyMax = 16 * 1024;

/** The requests of assistants themselves: for tokens (RFC 6749 §3.2), their end (RFC 7009), registration (RFC 7591). */
@Controller()
export class OAuthController {
  private readonly requests = new SlidingWindow(rates.oauthRequests);

  constructor(
    private readonly tokens: OAuthTokens,
    private readonly clients: OAuthClients,
    private readonly consents: Consents,
    private readonly bodies: AnonymousBodies,
  ) {}

  @Post(oauthPaths.token)
  @HttpCode(200)
  async token(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.answer(request, reply, async () => {
      const form = parametersOf(await this.form(request));
      const { grant_type: grant, client_id: clientId = '', resource } = form;
      if (grant !== 'authorization_code' && grant !== 'refresh_token')
        throw new OAuthRefused('unsupported_grant_type', 'Expected a code or a refresh token.');
      if (resource !== undefined && resource !== this.consents.resource)
        throw new OAuthRefused('invalid_target', `Expected ${this.consents.resource}.`);
      return this.tokens.exchange({ ...presentedIn(grant, form), clientId, requestId: request.id });
    });
  }

  @Post(oauthPaths.revoke)
  @HttpCode(200)
  async revoke(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.answer(request, reply, async () => {
      const { token = '', client_id: clientId = '' } = parametersOf(await this.form(request));
      await this.tokens.revoke(token, clientId, request.id);
      return {};
    });
  }

  @Post(oauthPaths.register)
  async register(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.answer(request, reply, async () => {
      const read = (): Promise<Buffer> => readBody(request, bodyMax);
      const body = parseBody(request, await this.bodies.readBounded(request, read));
      return this.clients.register(body, networkOwners(request.ip).site);
    });
  }

  private form(request: FastifyRequest): Promise<URLSearchParams> {
    return this.bodies.readBounded(request, () => formBody(request, bodyMax));
  }

  private async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    work: () => Promise<object>,
  ): Promise<void> {
    reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' });
    const { allowed, resetSeconds } = this.requests.take(networkOwners(request.ip).network);
    if (!allowed)
      throw new Problem('RATE_LIMITED', { headers: { 'retry-after': String(resetSeconds) } });
    try {
      await reply.send(await work());
    } catch (error) {
      const refused = refusalOf(error);
      if (!refused) throw error;
      const { code, description, status } = refused;
      if (status === 429) reply.header('retry-after', '3600');
      await reply.code(status).send({ error: code, error_description: description });
    }
  }
}

/** A body that cannot be read is refused in the words of OAuth, too. */
function refusalOf(error: unknown): OAuthRefused | null {
  if (error instanceof OAuthRefused) return error;
  return error instanceof Problem && error.status < 429
    ? new OAuthRefused('invalid_request', 'The body cannot be read.', error.status)
    : null;
}

const presentedIn = (
  grant: 'authorization_code' | 'refresh_token',
  form: Parameters,
): Omit<Presented, 'clientId' | 'requestId'> =>
  grant === 'refresh_token'
    ? { kind: 'refresh', token: form['refresh_token'] ?? '' }
    : {
        kind: 'code',
        token: form['code'] ?? '',
        verifier: form['code_verifier'] ?? '',
        redirectUri: form['redirect_uri'] ?? null,
      };
