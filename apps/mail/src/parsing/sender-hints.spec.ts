import { describe, expect, it } from '@jest/globals';
import { isAutomatic, priorityOf } from './sender-hints.js';

const fields = (key: string, value: string) => [{ key, value }];

describe('isAutomatic', () => {
  it.each([
    ['auto-submitted', 'auto-replied (vacation)'],
    ['auto-submitted', 'auto-generated'],
    ['precedence', 'bulk'],
    ['x-autoreply', 'yes'],
    ['content-type', 'multipart/report; report-type=delivery-status; boundary=b'],
  ])('tells a machine by %s: %s', (key, value) => {
    expect(isAutomatic(fields(key, value))).toBe(true);
  });

  it.each([
    ['auto-submitted', 'no'],
    ['precedence', 'list'],
    ['precedence', 'first-class'],
    ['content-type', 'multipart/mixed; boundary=b'],
  ])('tells a person by %s: %s', (key, value) => {
    expect(isAutomatic(fields(key, value))).toBe(false);
  });
});

describe('priorityOf', () => {
  it.each([
    ['x-priority', '1 (Highest)', 'high'],
    ['x-priority', '3', 'normal'],
    ['x-priority', '5 (Lowest)', 'low'],
    ['importance', 'High', 'high'],
    ['priority', 'non-urgent', 'low'],
    ['x-msmail-priority', 'Normal', 'normal'],
    ['x-priority', '17', null],
    ['subject', 'high', null],
  ])('reads %s: %s', (key, value, priority) => {
    expect(priorityOf(fields(key, value))).toBe(priority);
  });
});
