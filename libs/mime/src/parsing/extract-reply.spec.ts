import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { extractReply } from './extract-reply.js';

const quote = '> Where is my order?\n>\n> Camille\n';

describe('extractReply', () => {
  it.each([
    'On Mon, Jan 5, 2015 at 10:00 AM, Ada <ada@acme.test> wrote:',
    'On Mon, Jan 5, 2015 at 10:00 AM, Ada Lovelace of the Analytical Engine\n<ada@acme.test> wrote:',
    'Le lun. 5 janv. 2015 à 10:00, Ada <ada@acme.test> a écrit\u00a0:',
    'Le 5 janvier 2015 à 10:00:00, Ada Lovelace\n(ada@acme.test) a écrit :',
    'Am 05.01.2015 um 10:00 schrieb Ada:',
    'Am Mo., 5. Jan. 2015 um 10:00 Uhr schrieb Ada <ada@acme.test>:',
    'El lun, 5 ene 2015 a las 10:00, Ada (<ada@acme.test>) escribió:',
    'Il giorno lun 5 gen 2015 alle ore 10:00 Ada <ada@acme.test> ha scritto:',
    'Ada Lovelace schrieb am 05.01.2015 um 10:00:',
    '2015-01-05 10:00 GMT+01:00 Ada <ada@acme.test>:',
    'Ada <ada@acme.test> (Mon, 5 Jan 2015):',
  ])('cuts what is introduced by %j', (intro) => {
    expect(extractReply(`It is on its way.\n\nAda\n\n${intro}\n\n${quote}`)).toBe(
      'It is on its way.\n\nAda\n',
    );
  });

  it.each([
    '-----Original Message-----\nFrom: Ada',
    '----- Message d’origine -----\nDe : Ada',
    '-----Ursprüngliche Nachricht-----\nVon: Ada',
    '-----Mensaje original-----\nDe: Ada',
    'From: Ada <ada@acme.test>\nSent: Monday, January 5, 2015 10:00 AM\nTo: Camille\nSubject: Order',
    '________________________________\nDe : Ada <ada@acme.test>\nEnvoyé : lundi 5 janvier 2015\nÀ : Camille\nObjet : Commande',
    '*Von:* Ada\n*Gesendet:* Montag, 5. Januar 2015\n*An:* Camille\n*Betreff:* Bestellung',
    'De: Ada\nEnviado el: lunes, 5 de enero de 2015\nPara: Camille\nAsunto: Pedido',
    'On 5 Jan 2015, at 10:00, Ada <ada@acme.test> wrote:',
  ])('cuts all from %j on, which marks no line of what it quotes', (head) => {
    expect(extractReply(`Thanks!\n\n${head}\n\nWhere is it?\n\nC.\n`)).toBe('Thanks!\n');
  });

  it.each([
    ['On Mon, 1 Jan 2024 at 10:00, Alice <a@x.test> wrote:'],
    ['Le 01/01/2024 à 10:00, Alice a écrit :'],
    ['On Mon, Jan 1, 2024 at 10:00 AM, Alice Anderson <\na@x.test> wrote:'],
    ['On Mon, Jan 1, 2024 at 10:00 AM, Alice\nAnderson <a@x.test> wrote:'],
    ['Alice Anderson\n<a@x.test> wrote:'],
    ['Alice <a@x.test> (Mon, 1 Jan 2024):'],
  ])('keeps what stands right above %j', (intro) => {
    const above = ['New', 'One\nTwo\nThree', 'Hi,\n\nOn Monday at 10:00\nwe met.', 'Le 4711.'];
    for (const own of above) {
      expect(extractReply(`${own}\n${intro}\n${quote}`)).toBe(`${own}\n`);
      expect(extractReply(`${own}\n${intro}\n\n${quote}`)).toBe(`${own}\n`);
    }
  });

  it('keeps answers between and below what is quoted', () => {
    const text = `On 5 Jan 2015 Ada wrote:\n${quote}\nOn its way.\n\n> And the invoice?\n\nAttached.\n`;
    expect(extractReply(text)).toBe('On its way.\n\nAttached.\n');
  });

  it.each([
    ['-- \nAda\nAcme Ltd'],
    ['--\nAda'],
    ['Sent from my iPhone'],
    ['Envoyé de mon iPhone'],
    ['Von meinem iPhone gesendet'],
    ['Enviado desde mi iPhone'],
    ['Get Outlook for iOS<https://aka.ms/x>'],
  ])('cuts the signature %j, above a quote too', (signature) => {
    expect(extractReply(`Thanks!\n\n${signature}\n`)).toBe('Thanks!\n');
    expect(extractReply(`Thanks!\n\n${signature}\n\nOn 5 Jan 2015 Ada wrote:\n${quote}`)).toBe(
      'Thanks!\n',
    );
  });

  it.each([
    'Hello, where is my order?\n',
    'On Monday he wrote:\n\nI come.\n',
    'From: the top\nwe go\n',
    'a -- b\n--- c\n',
    'I wrote:\nnothing\n',
    'Hi,\n\nOn 12 March your colleague wrote:\n\nsend the form.\nI never got one.\n',
    'Look:\n\n---------- Forwarded message ---------\nFrom: Ada <a@x.test>\nSubject: x\n\nHi\n',
    '',
    '\n\n',
    quote,
    '-----Original Message-----\nWhere is it?\n',
    '-- \nAda\n',
  ])('leaves %j whole', (text) => {
    expect(extractReply(text)).toBe(text);
  });

  it('gives back only what was there, for any text', () => {
    const parts = fc.constantFrom(
      ...['On 5 Jan wrote:', '> q', '-- ', 'text', '', ' ', 'From: a', 'To: b', 'Subject: c', '\r'],
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(parts, fc.string()), { maxLength: 30 }), (lines) => {
        const text = lines.join('\n');
        const known = new Set(['', ...text.split('\n').map((line) => line.trim())]);
        const reply = extractReply(text);
        expect(reply.split('\n').filter((line) => !known.has(line.trim()))).toEqual([]);
        expect(reply.length).toBeLessThanOrEqual(text.length + 1);
      }),
    );
  });

  it.each([
    'On 1 ',
    'On 1 wrote ',
    'From: a\n',
    '>',
    '> \n',
    '\n',
    '-',
    '_',
    '*',
    ' ',
    'a:\n',
    '--\n',
    '\u00a0',
    'Le 1\n',
  ])(
    'takes time in proportion to a text of %j',
    (unit) => {
      // Were it quadratic, a mebibyte would take minutes, and the test its time limit.
      const text = unit.repeat(1_048_576 / unit.length);
      expect(extractReply(text).length).toBeLessThanOrEqual(text.length + 1);
    },
    30_000,
  );
});
