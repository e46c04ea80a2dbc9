import { describe, expect, it } from '@jest/globals';
import { eventGroups, serviceNames, table } from '@postroom/contracts';
import { declaredTopics, outgoingTopic, replyTopic } from './topics.js';

const names = (kind: string, topics = declaredTopics()): string[] =>
  topics.filter((topic) => topic.kind === kind).map(({ name }) => name);

describe('the declared topics', () => {
  it('have a request topic and dead letters for every service of the table', () => {
    expect(new Set(table.map(({ service }) => service))).toEqual(new Set(serviceNames));
    expect(names('requests')).toEqual(serviceNames.map((name) => `postroom.${name}.requests`));
    expect(names('dead-letters')).toEqual(
      expect.arrayContaining(serviceNames.map((name) => `postroom.dead.${name}`)),
    );
  });

  it('have an event topic for every group', () => {
    expect(names('events')).toEqual(
      Object.keys(eventGroups).map((group) => `postroom.events.${group}`),
    );
  });

  it('have a topic for every group of internal events, which no group of events can name', () => {
    expect(names('notices')).toEqual(
      [
        ...['audit', 'calendars', 'webhooks', 'books', 'reminders', 'invitations', 'decisions'],
        'conversations',
        'drafts',
        'imports',
      ].map((group) => `postroom.notices.${group}`),
    );
    const groups = Object.keys(eventGroups) as (keyof typeof eventGroups)[];
    const ofEvents = groups.map((group) => outgoingTopic(group));
    for (const group of ['audit', 'webhooks', 'books', 'conversations'] as const)
      expect(ofEvents).not.toContain(outgoingTopic(group));
    expect(names('events')).toEqual(ofEvents);
  });

  it('have dead letters for whoever seals the audit', () => {
    expect(names('dead-letters')).toContain('postroom.dead.audit');
  });

  it('have dead letters for every further consumer, each once', () => {
    const topics = declaredTopics({ consumers: ['dispatcher', 'mail'] });
    expect(names('dead-letters', topics)).toEqual([
      ...names('dead-letters'),
      'postroom.dead.dispatcher',
    ]);
  });

  it('begin with the prefix of their installation', () => {
    for (const { name } of declaredTopics({ prefix: 'staging' })) {
      expect(name).toMatch(/^staging\./);
    }
  });

  it('do not hold reply topics: these come and go with their caller', () => {
    expect(declaredTopics().map(({ name }) => name)).not.toContain(replyTopic('gateway-1'));
  });

  it('keep dead letters in one partition, in the order they came', () => {
    const kept = declaredTopics().filter(({ kind }) => kind === 'dead-letters');
    expect(new Set(kept.map(({ partitions }) => partitions))).toEqual(new Set([1]));
  });
});
