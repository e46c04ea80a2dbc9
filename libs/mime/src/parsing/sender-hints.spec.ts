import { describe, expect, it } from '@jest/globals';
import { headerFields } from './header-fields.js';
import { isAutomatic, isReport, priorityOf } from './sender-hints.js';

const fields = (key: string, value: string) => [{ key, value }];

describe('isAutomatic', () => {
  it.each([
    ['auto-submitted', 'auto-replied (vacation)'],
    ['auto-submitted', 'auto-generated'],
    ['precedence', 'bulk'],
    ['return-path', '<>'],
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

describe('isReport', () => {
  it('knows one by the null sender that it was handed over with, which counts for more than a field', () => {
    const head = ['Return-Path: <a@x.test>', 'Subject: Undelivered Mail Returned to Sender'];
    const headers = headerFields(head);
    expect(isReport(headers)).toBe(false);
    expect(isReport(headers, { returnPath: '' })).toBe(true);
    expect(
      isReport(headerFields(['Return-Path: <>', ...head.slice(1)]), { returnPath: 'a@x.test' }),
    ).toBe(false);
  });

  const daemon = 'From: Mail Delivery Subsystem <MAILER-DAEMON@mx.test>';

  it.each([
    ['Content-Type: multipart/report; report-type=delivery-status; boundary=b'],
    ['Content-Type: multipart/report; boundary="b";\r\n\treport-type="delivery-status"'],
    ['X-Failed-Recipients: nobody@x.test'],
    ['Return-Path: <>\r\nSubject: Undelivered Mail Returned to Sender'],
    [`${daemon}\r\nSubject: Returned mail: see transcript for details`],
    ['From: postmaster@x.test\r\nSubject: =?utf-8?q?=C3=89chec_de_remise?='],
    ['From: postmaster@x.test\r\nSubject: Unzustellbar: Bestellung'],
  ])('knows a report by %j', (head) => {
    expect(isReport(headerFields(head.split('\r\n')))).toBe(true);
  });

  it.each([
    ['Subject: Undelivered parcel'],
    ['Return-Path: <>\r\nSubject: Out of office'],
    [`${daemon}\r\nSubject: Hello`],
    ['Content-Type: multipart/report; report-type=disposition-notification'],
    [''],
  ])('finds none in %j', (head) => {
    expect(isReport(headerFields(head.split('\r\n')))).toBe(false);
  });

  it('knows a report that is no multipart/report by its part', () => {
    const attachments = [{ mimeType: 'message/delivery-status' }];
    expect(isReport(headerFields([daemon]), { attachments })).toBe(true);
    expect(isReport(headerFields(['From: ada@x.test']), { attachments })).toBe(false);
  });
});

describe('isAutomatic, of lists', () => {
  it.each([
    ['<mailto:list@x.test>', false],
    ['NO', true],
    ['', true],
  ])('judges mail in bulk by List-Post: %s', (post, automatic) => {
    const head = ['Precedence: bulk', `List-Post: ${post}`];
    expect(isAutomatic(headerFields(head))).toBe(automatic);
  });
});

describe('isAutomatic, of Exchange', () => {
  it.each([
    ['All', true],
    ['DR, OOF, AutoReply', true],
    ['DR, RN, NRN', false],
    ['', false],
  ])('judges X-Auto-Response-Suppress: %s', (value, automatic) => {
    const fields = headerFields([`X-Auto-Response-Suppress: ${value}`]);
    expect(isAutomatic(fields)).toBe(automatic);
  });
});
