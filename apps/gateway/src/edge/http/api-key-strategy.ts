import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Problem } from '@postroom/contracts';
import type { FastifyRequest } from 'fastify';
import { Strategy } from 'passport-custom';
import { KeyAuthentication, type Authorization } from '../../access/index.js';

/** The key in `X-Api-Key` or `Authorization: Bearer`; null without either. */
export function presentedKey({ headers }: FastifyRequest): string | null {
  const key = headers['x-api-key'];
  if (typeof key === 'string' && key !== '') return key;
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '');
  return bearer?.[1] ?? null;
}

/** Passport strategy of the public API. */
@Injectable()
export class ApiKeyStrategy extends PassportStrategy(Strategy, 'api-key') {
  constructor(private readonly keys: KeyAuthentication) {
    super();
  }

  async validate(request: FastifyRequest): Promise<Authorization> {
    const found = await this.keys.authenticate(presentedKey(request), request.hostname);
    if ('caller' in found) return found;
    request.state.refused = found;
    throw new Problem('UNAUTHENTICATED');
  }
}
