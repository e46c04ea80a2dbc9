import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EventRecord } from '@postroom/bus';
import { Database } from '@postroom/persistence';
import { createLog } from '@postroom/service';
import { anAdmin } from '@postroom/service-testing';
import { eventually } from '@postroom/testing/until';
import { anEvent, refusingRows, WebhooksTestService } from './testing/webhooks-service.js';
import { EventRecorder } from './event-recorder.js';

let service: WebhooksTestService;
let recorder: EventRecorder;
const warnings: string[] = [];

beforeAll(async () => {
  service = await WebhooksTestService.start();
  const to = { write: (line: string) => void warnings.push(line) };
  const log = createLog({ level: 'warn', format: 'json', to });
  recorder = new EventRecorder(service.service.get(Database), log);
});
afterAll(() => service.close());

const recordOf = (tenantId: string): EventRecord => {
  const event = anEvent({ tenantId });
  const { id, type, resource } = event;
  return { id, type, tenantId, resource: resource.id, envelope: JSON.stringify(event) };
};

describe('recording an event', () => {
  it('waits while the disk is full, however long, and then records it', async () => {
    const { tenantId } = anAdmin();
    const hasRoom = await refusingRows(service, 'INSERT ON events', '53100');
    const recorded = Promise.all([1, 2, 3].map(() => recorder.record(recordOf(tenantId))));
    await eventually(
      () => warnings,
      (all) => all.length > 0,
    );
    const state = await Promise.race([
      recorded.then(() => 'ended'),
      new Promise((resolve) => setTimeout(resolve, 1_500, 'waits')),
    ]);
    expect([state, await service.count('events', { tenantId })]).toEqual(['waits', 0]);
    await hasRoom();
    await recorded;
    expect(await service.count('events', { tenantId })).toBe(3);
    expect(warnings).toEqual([expect.stringContaining('events cannot be recorded, retrying')]);
  });

  it('that no table takes fails alone, and stops none of those beside it', async () => {
    const { tenantId } = anAdmin();
    // PostgreSQL keeps no NUL.
    const poisoned = { ...recordOf(tenantId), resource: 'ctc_\0' };
    const all = [recordOf(tenantId), poisoned, recordOf(tenantId)];
    const ends = await Promise.allSettled(all.map((one) => recorder.record(one)));
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await service.count('events', { tenantId })).toBe(2);
  });

  it('fails at once when the service stops, and stays with the bus', async () => {
    const { tenantId } = anAdmin();
    const hasRoom = await refusingRows(service, 'INSERT ON events', '53100');
    const recorded = recorder.record(recordOf(tenantId));
    recorder.stop();
    await expect(recorded).rejects.toMatchObject({ code: '53100' });
    await hasRoom();
  });
});
