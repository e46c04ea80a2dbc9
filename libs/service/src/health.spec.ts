import { describe, expect, it } from '@jest/globals';
import { Health } from './health.js';

const ok = { status: 200, body: { status: 'ok', missing: [] } };

describe('health', () => {
  it('is live but not ready until every awaited check has reported', () => {
    const health = new Health(['database', 'smtp']);
    expect(health.healthz()).toEqual(ok);
    health.ready('database', true);
    expect(health.readyz()).toEqual({
      status: 503,
      body: { status: 'unavailable', missing: [{ name: 'smtp', reason: 'starting' }] },
    });
    health.ready('smtp', true);
    expect(health.readyz()).toEqual(ok);
  });

  it('names what was lost, and is ready again once it is back', () => {
    const health = new Health(['broker']);
    health.ready('broker', 'the group was left');
    expect(health.readyz().body.missing).toEqual([
      { name: 'broker', reason: 'the group was left' },
    ]);
    health.ready('broker', true);
    expect(health.readyz().status).toBe(200);
  });

  it('asks a check that is a function at each probe', () => {
    const health = new Health([]);
    let beats = true;
    health.live('consumer', () => beats || 'no heartbeat for 30 s');
    expect(health.healthz().status).toBe(200);
    beats = false;
    expect(health.healthz()).toMatchObject({
      status: 503,
      body: { missing: [{ name: 'consumer', reason: 'no heartbeat for 30 s' }] },
    });
    expect(health.readyz().status).toBe(200);
  });

  it('has started once everything was ready at once, and stays so', () => {
    const health = new Health(['bus', 'database']);
    health.ready('bus', true);
    expect(health.startupz()).toMatchObject({
      status: 503,
      body: { missing: [{ name: 'database', reason: 'starting' }] },
    });
    health.ready('bus', 'not joined');
    health.ready('database', true);
    expect(health.startupz().status).toBe(503);
    health.ready('bus', true);
    expect(health.startupz()).toEqual(ok);
    health.ready('bus', 'not joined');
    expect(health.startupz()).toEqual(ok);
    expect(health.readyz().status).toBe(503);
  });

  it('is not ready while stopping, whatever else reports, and stays live', () => {
    const health = new Health(['smtp']);
    health.stopping();
    health.ready('smtp', true);
    expect(health.readyz()).toMatchObject({
      status: 503,
      body: { missing: [{ name: 'process', reason: 'stopping' }] },
    });
    expect(health.healthz().status).toBe(200);
  });
});
