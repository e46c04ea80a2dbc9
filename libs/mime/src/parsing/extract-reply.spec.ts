import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { extractReply as extracted } from './extract-reply.js';
import { evidenceOfSubject } from './reply-evidence.js';

const extractReply = (text: string) => extracted(text, 'reply');

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
    ...[
      'Fra: Support <support@acme.test>\nSendt: 2. juni 2026 10:00\nTil: Ann\nEmne: Sag',
      'Från: Ada <a@x.test>\nSkickat: den 2 juni 2026\nTill: Ann\nÄmne: Ärende',
      'Lähettäjä: Ada\nLähetetty: 2. kesäkuuta 2026\nVastaanottaja: Ann\nAihe: Asia',
      'Od: Ada <a@x.test>\nWysłano: 2 czerwca 2026\nDo: Ann\nTemat: Sprawa',
      'Od: Ada\nOdesláno: úterý 2. června 2026\nKomu: Ann\nPředmět: Věc',
      'Feladó: Ada\nElküldve: 2026. június 2.\nCímzett: Ann\nTárgy: Ügy',
      'De la: Ada\nTrimis: marți, 2 iunie 2026\nCătre: Ann\nSubiect: Caz',
      'Kimden: Ada\nGönderildi: 2 Haziran 2026\nKime: Ann\nKonu: Konu',
      'Από: Ada\nΣτάλθηκε: Τρίτη, 2 Ιουνίου 2026\nΠρος: Ann\nΘέμα: Υπόθεση',
      'От: Ada\nОтправлено: 2 июня 2026 г.\nКому: Ann\nТема: Дело',
      'Від: Ada\nНадіслано: 2 червня 2026 р.\nКому: Ann\nТема: Справа',
      'De: Ada\nEnviado: 2 de junho de 2026\nPara: Ann\nAssunto: Caso',
      'Da: Ada\nInviato: martedì 2 giugno 2026\nA: Ann\nOggetto: Caso',
      'Van: Ada\nVerzonden: dinsdag 2 juni 2026\nAan: Ann\nOnderwerp: Zaak',
      '差出人: Ada\n送信日時: 2026年6月2日\n宛先: Ann\n件名: 件',
      '发件人：Ada\n发送时间：2026年6月2日\n收件人：Ann\n主题：案',
      '보낸 사람: Ada\n보낸 날짜: 2026년 6월 2일\n받는 사람: Ann\n제목: 건',
      'מאת: Ada\nנשלח: יום שלישי 2 יוני 2026\nאל: Ann\nנושא: עניין',
      'From: Ada <ada@acme.test>\nDate: 2 June 2026\nTo: Camille',
    ],
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

  const form =
    'A new message:\n\nFrom: Ann <ann@x.test>\nSubject: Refund\nDate: 2026-06-02\n\nMoney back.\n';
  const outlook =
    'Please handle.\n\nFrom: C <c@x.test>\nSent: 2 June 2026\nTo: S\nSubject: x\n\nBroken.\n';

  it.each([
    ['a form', 'none', form],
    [
      'a form that came as an answer, by its own fields',
      'reply',
      'x\n\nFrom: Berlin\nTo: Munich\nDate: 2 June\n\nTwo.\n',
    ],
    ['what Outlook passed on', 'forward', outlook],
    ['a first message with marks', 'none', `Look:\n\n${quote}\n-- \nAda\n`],
    ['a first message with a head', 'none', outlook],
    ['a first message with an original', 'none', 'Hi\n-----Original Message-----\nx\n'],
    ['a forward with marks', 'forward', `x\n\nOn 5 Jan 2015 Ada wrote:\n${quote}`],
  ] as const)('leaves %s whole', (_what, evidence, text) => {
    expect(extracted(text, evidence)).toBe(text);
  });

  it('knows an introduced quote with marks without other evidence', () => {
    expect(extracted(`Yes\n\nOn 5 Jan 2015 Ada wrote:\n${quote}`, 'none')).toBe('Yes\n');
  });

  it.each([
    [
      'reply',
      'Re: x|RE : x|Aw: x|SV: x|Antw.: x|Re[2]: x|AW(3): x|[list] Re: x|Odp: x|YNT: x|R: x|回复：x|Re: Fwd: x',
    ],
    [
      'forward',
      'FW: x|Fwd: x|WG: x|TR: x|I: x|RV: x|ENC: x|Doorst: x|VS: x|VB: x|PD: x|转发：x|Fwd: Re: x',
    ],
    ['none', 'Request: x|Reset: x|Rental|x: Re: y|Reading FW|'],
  ])('takes the prefixes of a %s', (evidence, subjects) => {
    for (const subject of subjects.split('|')) {
      expect([subject, evidenceOfSubject(subject)]).toEqual([subject, evidence]);
    }
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
  ])('takes time in proportion to a text of %j', (unit) => {
    // Were it quadratic, a mebibyte would take minutes, and the test its time limit.
    const text = unit.repeat(1_048_576 / unit.length);
    expect(extractReply(text).length).toBeLessThanOrEqual(text.length + 1);
  });
});
