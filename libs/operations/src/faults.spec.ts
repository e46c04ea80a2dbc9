import { describe, expect, it } from '@jest/globals';
import { Problem } from '@postroom/contracts';
import { freePort } from '@postroom/testing';
import { Client, Pool } from 'pg';
import { QueryFailedError } from 'typeorm';
import { asProblem, isLockTimeout, isUniqueViolation } from './faults.js';
import { Ledger } from './testing/ledger.js';

const withCode = (code: string, more: object = {}): Error =>
  Object.assign(new Error('of the driver'), { code, ...more });

describe('whatever was thrown', () => {
  it('stays the refusal that it is', () => {
    const refusal = new Problem('CONVERSATION_NOT_FOUND');
    expect(asProblem(refusal)).toBe(refusal);
  });

  it.each([
    ['08006', 'a connection failed'],
    ['08P01', 'the protocol was broken'],
    ['53300', 'there are too many connections'],
    ['53100', 'the disk is full'],
    ['55P03', 'a lock was not to be had'],
    ['40P01', 'there was a deadlock'],
    ['40001', 'it was not serialisable'],
    ['57014', 'a statement took too long'],
    ['57P01', 'an administrator ended the connection'],
    ['57P03', 'the database is starting'],
    ['ECONNREFUSED', 'nobody listens'],
    ['ECONNRESET', 'the connection was reset'],
    ['EPIPE', 'the connection was closed'],
    ['ETIMEDOUT', 'nobody answered'],
    ['EHOSTUNREACH', 'the host cannot be reached'],
    ['ENETUNREACH', 'the network cannot be reached'],
    ['EAI_AGAIN', 'the name cannot be resolved now'],
  ])('is "not now" with the code %s: %s', (code) => {
    const cause = withCode(code);
    expect(asProblem(cause)).toMatchObject({ code: 'SERVICE_UNAVAILABLE', cause });
    expect(asProblem(new QueryFailedError('SELECT 1', [], cause)).code).toBe('SERVICE_UNAVAILABLE');
  });

  it.each([
    withCode('23505'),
    withCode('42501'),
    withCode('22P02'),
    withCode('28P01'),
    withCode('3D000'),
    withCode('25P02'),
    withCode('0A08B'),
    withCode('ENOENT'),
    Object.assign(new Error('a number'), { code: 57_014 }),
    new TypeError('x is not a function'),
    new Error('Connection pooling is not implemented'),
    'a text',
    null,
    undefined,
  ])('is a fault of ours otherwise: %p', (thrown) => {
    expect(asProblem(thrown)).toMatchObject({ code: 'INTERNAL', cause: thrown });
  });

  it('is told of a lock that was waited for too long, and of a violated constraint', () => {
    expect(isLockTimeout(withCode('55P03'))).toBe(true);
    expect(isLockTimeout(withCode('40P01'))).toBe(false);
    const violation = withCode('23505', { constraint: 'members_email' });
    expect(isUniqueViolation(violation)).toBe(true);
    expect(isUniqueViolation(violation, 'members_email')).toBe(true);
    expect(isUniqueViolation(violation, 'keys_pkey')).toBe(false);
    expect(isUniqueViolation(withCode('23505'), 'members_email')).toBe(false);
    expect(isUniqueViolation(new Error('23505'))).toBe(false);
  });
});

// The driver throws these without a code: what they say is all there is to know them by.
describe('what the driver throws when a connection is not to be had', () => {
  const notNow = (error: unknown): void => {
    expect([error, asProblem(error).code]).toEqual([error, 'SERVICE_UNAVAILABLE']);
  };

  it('is "not now": a pool with none free, a line that is cut, an end', async () => {
    const ledger = await Ledger.open();
    const connectionString = ledger.line.url;
    const pool = new Pool({ connectionString, max: 1, connectionTimeoutMillis: 1_000 });
    pool.on('error', () => undefined);
    const client = await pool.connect();
    client.on('error', () => undefined);
    notNow(await pool.connect().catch((error: unknown) => error));

    const cut = client.query('SELECT pg_sleep(30)').catch((error: unknown) => error);
    ledger.line.cut();
    notNow(await cut);
    notNow(await client.query('SELECT 1').catch((error: unknown) => error));
    client.release();

    const silent = new Client({ connectionString, connectionTimeoutMillis: 50 });
    silent.on('error', () => undefined);
    ledger.line.loseAnswers();
    notNow(await silent.connect().catch((error: unknown) => error));
    ledger.line.cut();

    await pool.end();
    notNow(await pool.connect().catch((error: unknown) => error));
    await ledger.close();
  });

  it('is "not now": a connection that was closed because it was silent', () => {
    notNow(new Error('PostgreSQL has been silent for 15000 ms'));
  });

  it('is "not now": nobody listens', async () => {
    const client = new Client({ host: 'localhost', port: await freePort() });
    const refused = await client.connect().catch((error: unknown) => error);
    expect(asProblem(refused).code).toBe('SERVICE_UNAVAILABLE');
  });
});
