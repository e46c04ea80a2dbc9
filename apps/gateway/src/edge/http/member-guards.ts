import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Problem } from '@postroom/contracts';
import type { FastifyRequest } from 'fastify';
import { GatewayConfig } from '../../config.js';
import { AnonymousBodies } from './anonymous-bodies.js';
import { Inputs } from './inputs.js';

/** Refuses writes that a page of another origin makes with the member's cookie (CSRF). */
@Injectable()
export class OriginGuard implements CanActivate {
  constructor(private readonly config: GatewayConfig) {}

  canActivate(context: ExecutionContext): boolean {
    const { headers, method } = context.switchToHttp().getRequest<FastifyRequest>();
    const { origin, host } = headers;
    if (origin === undefined || method === 'GET' || method === 'HEAD') return true;
    const ours = [new URL(this.config.publicUrl).origin, `http://${host}`, `https://${host}`];
    if (!ours.includes(origin)) throw new Problem('FOREIGN_ORIGIN');
    return true;
  }
}

/** Reads the body before a strategy that finds its credentials there. */
@Injectable()
export class CredentialsGuard implements CanActivate {
  constructor(
    private readonly inputs: Inputs,
    private readonly bodies: AnonymousBodies,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { operation } = request.state;
    if (operation) {
      const read = (): Promise<object> => this.inputs.of(operation, request);
      request.state.input = await this.bodies.readBounded(request, read);
    }
    return true;
  }
}
