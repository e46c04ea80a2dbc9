import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readdirSync } from 'node:fs';
import { eventGroups, type EventType } from '../events.js';
import { fieldsOf, jsonSchema, type Dto } from '../fields/index.js';
import { expectPublished } from '../testing/compatibility.js';
import { validatorOf, valuesOf } from '../testing/schema-values.js';
import { eventPayloads } from './payloads.js';
import { eventSchema } from './schema.js';

const types: readonly EventType[] = Object.values(eventGroups).flat();
/** The types that something emits; those of the helpdesk have no producer yet. */
const emitted = types.filter((type) => eventPayloads[type].data !== null);
const fileOf = (type: EventType): string => `${type}.v1.json`;

const head = {
  id: 'evn_01JD0000000000000000000000',
  occurredAt: '2026-01-01T10:00:00.000Z',
  tenantId: 'ten_01JD0000000000000000000000',
  apiVersion: 'v1',
  sequence: 1,
  actor: { type: 'system', id: null },
  source: 'inbound',
  previous: null,
};

const eventOf = (type: EventType, data: unknown): Readonly<Record<string, unknown>> => ({
  ...head,
  type,
  resource: { type: eventPayloads[type].resource ?? 'anything', id: 'cnv_1' },
  data,
});

const decided = emitted.flatMap((type) => {
  const { data }: { data: Dto | null } = eventPayloads[type];
  return data ? [{ type, data }] : [];
});

describe('the payloads of the events', () => {
  it('are declared for every type of the list, and for no other', () => {
    expect(Object.keys(eventPayloads).sort()).toEqual([...types].sort());
  });

  it.each(emitted)('may only grow once they are published: %s', (type) => {
    expectPublished(`events/${fileOf(type)}`, {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: `${type} v1`,
      ...eventSchema(type),
    });
  });

  it('stay declared once they were published', () => {
    const published = readdirSync(new URL('../golden/events/', import.meta.url));
    expect(published.sort()).toEqual(emitted.map(fileOf).sort());
  });

  it.each(decided)('of $type are the classes that the answers of the API are made of', (one) => {
    const fits = validatorOf(eventSchema(one.type, { closed: true }));
    fc.assert(
      fc.property(valuesOf(jsonSchema(one.data)), (data) => fits(eventOf(one.type, data))),
      { numRuns: 25 },
    );
  });

  it.each(decided)('of $type lack nothing and hold nothing else', ({ type, data }) => {
    const fits = validatorOf(eventSchema(type, { closed: true }));
    const [value] = fc.sample(valuesOf(jsonSchema(data)), 1) as [object];
    for (const { name } of fieldsOf(data).filter(({ optional }) => !optional)) {
      const lacking = Object.entries(value).filter(([field]) => field !== name);
      expect(fits(eventOf(type, Object.fromEntries(lacking)))).toBe(false);
    }
    expect(fits(eventOf(type, { ...value, extra: 1 }))).toBe(false);
    expect(fits({ ...eventOf(type, value), extra: 1 })).toBe(false);
  });

  it('may gain fields as they are published', () => {
    const fits = validatorOf(eventSchema('conversation.commented'));
    const [value] = fc.sample(
      valuesOf(jsonSchema(eventPayloads['conversation.commented'].data)),
      1,
    ) as [object];
    expect(fits(eventOf('conversation.commented', { ...value, mood: 'calm' }))).toBe(true);
  });

  it('hold any object where the shape of the data is not decided', () => {
    const fits = validatorOf(eventSchema('ticket.created', { closed: true }));
    expect(fits(eventOf('ticket.created', { whatever: [1] }))).toBe(true);
    expect(fits(eventOf('ticket.created', []))).toBe(false);
    expect(fits(eventOf('ticket.created', null))).toBe(false);
  });

  it('have old values of the record’s own fields, each or none, on updates only', () => {
    const assigned = validatorOf(eventSchema('conversation.assigned', { closed: true }));
    const commented = validatorOf(eventSchema('conversation.commented', { closed: true }));
    const data = (type: 'conversation.assigned' | 'conversation.commented'): unknown =>
      fc.sample(valuesOf(jsonSchema(eventPayloads[type].data)), 1)[0];
    const change = eventOf('conversation.assigned', data('conversation.assigned'));
    expect(assigned({ ...change, previous: { assignee: null, status: 'open' } })).toBe(true);
    expect(assigned(change)).toBe(true);
    expect(assigned({ ...change, previous: { assignee: 5 } })).toBe(false);
    expect(assigned({ ...change, previous: { owner: 'x' } })).toBe(false);
    const addition = eventOf('conversation.commented', data('conversation.commented'));
    expect(commented({ ...addition, previous: { unread: true } })).toBe(false);
  });

  it('describe every field in words', () => {
    const silent = decided.flatMap(({ data }) =>
      fieldsOf(data)
        .filter((field) => !/^[A-Z`][^\n]{3,200}[.]$/.test(field.about))
        .map((field) => `${data.name}.${field.name}`),
    );
    expect(silent).toEqual([]);
  });

  it('are those of the envelope that a webhook has, in its order', () => {
    const { properties, required } = eventSchema('task.created');
    const names = ['id', 'type', 'occurredAt', 'tenantId', 'apiVersion', 'resource', 'sequence'];
    expect(Object.keys(properties as object)).toEqual([
      ...names,
      ...['actor', 'source', 'approvedBy', 'data', 'previous'],
    ]);
    // Only an agent's write that had to wait has an approver.
    const always = Object.keys(properties as object).filter((name) => name !== 'approvedBy');
    expect(required).toEqual(always);
  });
});
