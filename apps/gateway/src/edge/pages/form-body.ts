import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { decodedInput } from '../../access/index.js';
import { readBody, textOfBody, unreadable } from '../bodies/read-body.js';
import { AnonymousBodies } from '../http/anonymous-bodies.js';

const forms = new WeakMap<FastifyRequest, URLSearchParams>();

/** The form of a request; an empty one before it was read. */
export const formOf = (request: FastifyRequest): URLSearchParams =>
  forms.get(request) ?? new URLSearchParams();

/** Reads a body that has to be a form. @throws Problem INVALID_REQUEST, BODY_TOO_LARGE */
export async function formBody(
  request: FastifyRequest,
  bytesMax: number,
): Promise<URLSearchParams> {
  const bytes = await readBody(request, bytesMax);
  if (!formType.test(request.headers['content-type'] ?? ''))
    throw unreadable('formulaire attendu', 'expected a form');
  return new URLSearchParams(textOfBody(bytes));
}

const formType = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

/** Reads a form, and decodes it to the input of the operation that it is for. */
@Injectable()
export class FormGuard implements CanActivate {
  constructor(private readonly bodies: AnonymousBodies) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { operation } = request.state;
    if (!operation) return false;
    const form = await this.bodies.readBounded(request, () => formBody(request, operation.bodyMax));
    forms.set(request, form);
    const given = operation.fields.body.flatMap(({ name }) => {
      const value = form.get(name);
      return value === null || value === '' ? [] : [[name, value] as const];
    });
    request.state.input = decodedInput(operation, { body: Object.fromEntries(given) }).input;
    return true;
  }
}
