import { describe, expect, it } from '@jest/globals';
import { sentAtOf } from './sent-at.js';

describe('sentAtOf', () => {
  it.each([
    ['Fri, 21 Nov 1997 09:55:06 -0600', '1997-11-21T15:55:06.000Z'],
    ['21 Nov 97 09:55 GMT', '1997-11-21T09:55:00.000Z'],
    ['Thu, 13 Feb 1969 23:32 -0330 (Newfoundland Time)', '1969-02-14T03:02:00.000Z'],
    ['Tue, 1 Jul 2003 10:52:37 EDT', '2003-07-01T14:52:37.000Z'],
    ['Tue, 1 Jul 2003 10:52:37 XYZ', '2003-07-01T10:52:37.000Z'],
    ['Tue, 1 Jul 2003 10:52:37', '2003-07-01T10:52:37.000Z'],
    ['Sat, 31 Dec 2016 23:59:60 +0000', '2017-01-01T00:00:00.000Z'],
    ['2024-02-29T12:00:00+01:00', '2024-02-29T11:00:00.000Z'],
  ])('reads %s in UTC', (header, sentAt) => {
    expect(sentAtOf(header)).toBe(sentAt);
  });

  it.each([
    '',
    'yesterday',
    '31 Feb 2020 10:00:00 +0000',
    '1 Jan 2020 25:00:00 +0000',
    '1 Foo 2020 1:00',
  ])('refuses %j', (header) => {
    expect(sentAtOf(header)).toBeNull();
  });
});
