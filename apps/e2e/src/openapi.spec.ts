import { beforeAll, describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { type Answer, send } from './http.js';
import { sharedProduct } from './product.js';
import { recordOf } from './wire.js';

describe('GET /public/asyncapi.json', () => {
  it('needs no key, and describes every event type', async () => {
    const product = await sharedProduct();
    const answer = await send(`${product.baseUrl}/asyncapi.json`);
    expect(answer.status).toBe(200);
    expect(recordOf(answer)).toMatchObject({ asyncapi: '3.0.0', info: { version: '1.0.0' } });
    expect(answer.text).toContain('csat.response.created');
  });
});

describe('GET /public/openapi.json', () => {
  let answer: Answer;

  beforeAll(async () => {
    const product = await sharedProduct();
    answer = await send(`${product.baseUrl}/openapi.json`);
  });

  it('needs no key', () => {
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^application\/json\b/);
    expect(answer.headers['x-request-id']).toEqual(expect.any(String));
  });

  it('is OpenAPI 3.1.0 of document version 1.0.0', () => {
    expect(recordOf(answer)).toMatchObject({ openapi: '3.1.0', info: { version: '1.0.0' } });
  });

  it('is valid', async () => {
    const { valid, errors } = await new Validator().validate(recordOf(answer));
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
  });

  it('documents the conversations', () => {
    expect(recordOf(answer)['paths']).toMatchObject({
      '/v1/conversations': { get: expect.anything() },
      '/v1/conversations/{id}': { get: expect.anything() },
      '/v1/conversations/{id}/archive': { post: expect.anything() },
      '/v1/conversations/{id}/reopen': { post: expect.anything() },
      '/v1/conversations/{id}/comment': { post: expect.anything() },
    });
  });

  it('documents both ways to give the key', () => {
    expect(answer.text).toMatch(/X-Api-Key/i);
    expect(answer.text).toMatch(/"scheme":\s*"bearer"/i);
  });

  it('shows nothing of the settings', () => {
    expect(answer.text).not.toContain('/settings/api');
    expect(answer.text).not.toMatch(/"\/(?:members|keys|session)/);
  });
});
