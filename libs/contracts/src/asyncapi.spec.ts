import { describe, expect, it } from '@jest/globals';
import { Parser } from '@asyncapi/parser';
import { eventExamples } from './event-payloads/examples.js';
import { eventSchema } from './event-payloads/schema.js';
import { eventGroups, type EventType } from './events.js';
import type { JsonSchema } from './fields/index.js';
import { validatorOf } from './testing/schema-values.js';
import { asyncApiDocument } from './asyncapi.js';

const types = Object.values(eventGroups).flat();

describe('the AsyncAPI document', () => {
  it('is valid', async () => {
    const { document, diagnostics } = await new Parser().parse(JSON.stringify(asyncApiDocument()));
    // Severity 0 is an error; the rest is advice.
    expect(diagnostics.filter(({ severity }) => Object.is(severity, 0))).toEqual([]);
    expect(document?.version()).toBe('3.0.0');
  });

  it('has a message for every type that can be subscribed to', () => {
    const { components } = asyncApiDocument() as { components: { messages: object } };
    expect(Object.keys(components.messages)).toEqual([...types, 'comment.added']);
  });

  it('has an event under its alias, as whoever subscribes to that receives it', () => {
    const { components } = asyncApiDocument() as {
      components: {
        messages: Record<string, { payload: JsonSchema; examples: { payload: object }[] }>;
      };
    };
    const message = components.messages['comment.added'];
    const example = message?.examples[0]?.payload;
    expect(example).toEqual({ ...eventExamples['conversation.commented'], type: 'comment.added' });
    expect(validatorOf(message?.payload ?? {})(example)).toBe(true);
  });

  it.each(Object.entries(eventExamples))(
    'shows an event that its schema describes: %s',
    (type, event) => {
      const fits = validatorOf(eventSchema(type as EventType, { closed: true }));
      expect(fits(event)).toBe(true);
    },
  );

  it('shows an event of every type that has a producer', () => {
    const helpdesk: readonly EventType[] = eventGroups.helpdesk;
    expect(Object.keys(eventExamples)).toEqual(types.filter((type) => !helpdesk.includes(type)));
  });
});
