import { describe, expect, it } from '@jest/globals';
import { headerFields } from './header-fields.js';
import { behalfOf, isAutomatic, isReport, priorityOf } from './sender-hints.js';

const fields = (key: string, value: string) => [{ key, value }];

describe('isAutomatic', () => {
  it.each([
    ['auto-submitted', 'auto-replied (vacation)'],
    ['auto-submitted', 'auto-generated'],
    ['precedence', 'bulk'],
    ['return-path', '<>'],
    ['x-autoreply', 'yes'],
    ['content-type', 'multipart/report; report-type=delivery-status; boundary=b'],
    ['x-precedence', 'auto_reply'],
    ['preference', 'auto_reply'],
    ['x-autoreply-from', 'ann@x.test'],
    ['x-post-messageclass', '9; Autoresponder'],
    ['x-fc-machinegenerated', 'true'],
    ['delivered-to', 'Autoresponder'],
    ['subject', 'Automatic reply: Order'],
    ['subject', 'Automatische Antwort: Anfrage'],
    ['subject', 'Réponse automatique : Commande'],
    ['subject', '=?utf-8?q?Respuesta_autom=C3=A1tica?=: x'],
    ['subject', '自動応答: x'],
    ['subject', 'Abwesenheitsnotiz'],
    ['subject', '[Auto-Reply] x'],
    ['subject', 'Out of Office'],
  ])('tells a machine by %s: %s', (key, value) => {
    expect(isAutomatic(fields(key, value))).toBe(true);
  });

  it.each([
    ['auto-submitted', 'no'],
    ['precedence', 'list'],
    ['precedence', 'first-class'],
    ['content-type', 'multipart/mixed; boundary=b'],
    ['x-auto-response-suppress', 'DR, OOF, AutoReply'],
    ['x-auto-response-suppress', 'All'],
    ['subject', 'Re: Automatic reply: Order'],
    ['subject', 'Automatic reply does not work'],
    ['subject', 'Out of office chairs'],
    ['delivered-to', 'support@acme.test'],
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

describe('behalfOf', () => {
  const google = ['From: "\'Ann\' via S" <support@acme.test>', 'List-ID: <support.acme.test>'];
  const ann = { email: 'ann@gmail.test', name: 'Ann' };

  it.each([
    ['X-Original-From: Ann <ann@gmail.test>', 'Reply-To: ann@gmail.test'],
    ['X-Original-Sender: ann@gmail.test', 'Reply-To: Ann <Ann@Gmail.test>'],
  ])('knows the person by %s and %s', (original, reply) => {
    const headers = headerFields([...google, original, reply]);
    expect(behalfOf(headers)).toEqual({ behalfOf: ann, isFromList: true });
    const elsewhere = headerFields([original, reply, 'From: x@y.test', ...google.slice(1)]);
    expect(behalfOf(elsewhere)).toEqual({ behalfOf: ann, isFromList: false });
  });

  it.each([
    ['X-Original-Sender: ann@gmail.test', 'Reply-To: eve@evil.test'],
    ['X-Original-Sender: ann@gmail.test'],
    ['Reply-To: ann@gmail.test'],
  ])('takes nobody for one by %s alone', (...given) => {
    expect(behalfOf(headerFields([...google, ...given]))).toEqual({});
  });
});
