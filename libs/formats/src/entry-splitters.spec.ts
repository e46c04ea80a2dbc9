import { describe, expect, it } from '@jest/globals';
import { growthOf, heldBytes } from '@postroom/testing';
import fc from 'fast-check';
import {
  CalendarSplitter,
  ComponentSplitter,
  CsvSplitter,
  TextStream,
  type EntrySplitter,
} from './index.js';

/** The entries that a splitter finds in a body in chunks of a size; null for entries that it left out. */
function found(splitter: EntrySplitter, body: Buffer, size: number): (string | null)[] {
  const entries = [];
  for (let at = 0; at < body.length; at += size)
    entries.push(...splitter.push(body.subarray(at, at + size)));
  do entries.push(...splitter.end());
  while (splitter.isBehind);
  return entries.map(({ bytes }) => bytes?.toString() ?? null);
}

const sizes = fc.integer({ min: 1, max: 50 });

describe('cards', () => {
  it('are found however the body is cut', () => {
    const card = (line: string) => `BEGIN:VCARD\r\nFN:${line}\r\nEND:VCARD\r\n`;
    const lines = fc.array(fc.stringMatching(/^[a-zé用:;]{0,30}$/), { maxLength: 5 });
    fc.assert(
      fc.property(lines, sizes, (all, size) => {
        const cards = all.map(card);
        const body = Buffer.from(`\ufeff${cards.join('\r\n')}`);
        const read = found(new ComponentSplitter('VCARD', 1000), body, size);
        expect(read.map((one) => one?.replace('\ufeff', ''))).toEqual(cards);
      }),
    );
  });

  it('that are too large or cut short are told of', () => {
    const photo = `BEGIN:VCARD\nNOTE:${'x'.repeat(200_000)}\nEND:VCARD\nBEGIN:VCARD\nFN:A\nEND:VCARD\nBEGIN:VCARD\nFN`;
    const read = found(new ComponentSplitter('VCARD', 1000), Buffer.from(photo), 1000);
    expect(read).toEqual([null, 'BEGIN:VCARD\nFN:A\nEND:VCARD\n', null]);
  });

  it('are found without their media, however large', () => {
    const data = 'x'.repeat(200_000);
    const folded = Array.from({ length: 3000 }, () => ' /9j/4AAQ=').join('\r\n');
    const card = (...lines: string[]) => ['BEGIN:VCARD', ...lines, 'END:VCARD', ''].join('\r\n');
    const body = [
      card('FN:A', `LOGO;VALUE=uri:data:image/png;base64,${data}`, 'TEL:1'),
      card('FN:B', `item1.SOUND;ENCODING=b;TYPE=WAVE:/9j`, folded, 'TEL:2'),
      card('FN:C', 'LOGO;JPEG;BASE64:', 'abcd=', 'efgh=', '', 'TEL:3', 'KEY:x'),
      card('FN:D', 'NOTE:a', ' PHOTO:b', 'TEL:4'),
    ].join('');
    const expected = [
      card('FN:A', 'LOGO:', 'TEL:1'),
      card('FN:B', 'SOUND:', 'TEL:2'),
      card('FN:C', 'LOGO:', 'TEL:3', 'KEY:'),
      card('FN:D', 'NOTE:a', ' PHOTO:b', 'TEL:4'),
    ];
    for (const size of [65_536, 500])
      expect(found(new ComponentSplitter('VCARD', 1000), Buffer.from(body), size)).toEqual(
        expected,
      );
  });

  it('keep their photo, and its beginning where it is larger than any that is kept', () => {
    const folded = Array.from({ length: 3000 }, () => ' /9j/4AAQ=').join('\r\n');
    const card = (...lines: string[]) => ['BEGIN:VCARD', ...lines, 'END:VCARD', ''].join('\r\n');
    const whole = [
      card('FN:A', `PHOTO:data:image/png;base64,${'x'.repeat(300_000)}`, 'TEL:1'),
      card('FN:B', `item1.PHOTO;ENCODING=b;TYPE=JPEG:/9j`, folded, 'TEL:2'),
      card('FN:C', 'PHOTO;JPEG;BASE64:', 'abcd=', 'efgh=', '', 'TEL:3'),
    ];
    const large = card('FN:D', `PHOTO:data:image/png;base64,${'x'.repeat(900_000)}`, 'TEL:4');
    const body = Buffer.from([...whole, large].join(''));
    for (const size of [65_536, 500]) {
      const read = found(new ComponentSplitter('VCARD', 500_000), body, size);
      expect(read.slice(0, 3)).toEqual(whole);
      expect(read[3]).toMatch(/^BEGIN:VCARD\r\nFN:D\r\nPHOTO:data.{349000,500000}\r\nTEL:4\r\n/);
    }
  });

  it('without an end cost none of those that follow', () => {
    const whole = 'BEGIN:VCARD\nFN:B\nEND:VCARD\n';
    const body = `BEGIN:VCARD\nFN:A\n${whole}${whole}`;
    expect(found(new ComponentSplitter('VCARD', 1000), Buffer.from(body), 7)).toEqual([
      null,
      whole,
      whole,
    ]);
  });

  it('within cards are parts of them', () => {
    const nested = 'BEGIN:VCARD\nAGENT:\nBEGIN:VCARD\nEND:VCARD\nEND:VCARD\n';
    expect(found(new ComponentSplitter('VCARD', 1000), Buffer.from(nested), 7)).toEqual([nested]);
  });
});

describe('events', () => {
  const split = (body: Buffer) => found(new ComponentSplitter('VEVENT', 1000), body, 65_536);
  const one = 'BEGIN:VEVENT\r\nUID:one\r\nEND:VEVENT\r\n';

  it('are taken out of what stands around them', () => {
    const zone = 'BEGIN:VTIMEZONE\r\nTZID:x\r\nEND:VTIMEZONE\r\n';
    const file = `\ufeffBEGIN:VCALENDAR\r\n${zone}${one}${one}END:VCALENDAR\r\n`;
    expect(split(Buffer.from(file))).toEqual([one, one]);
  });

  it('are whole with a property that is too long, and without files', () => {
    const long = ['BEGIN:VEVENT', `X-A:${'x'.repeat(70_000)}`, ` ${'y'.repeat(200_000)}`, ' z'];
    const file = [...long, 'ATTACH;VALUE=BINARY:AAAA', ' BBBB', 'UID:a', 'END:VEVENT', ''];
    const splitter = new ComponentSplitter('VEVENT', 100_000);
    const [read] = found(splitter, Buffer.from(file.join('\r\n')), 65_536);
    expect(read?.replaceAll(/x+/g, 'x')).toMatch(/^BEGIN:VEVENT\r\nX-A:x\r\nATTACH:\r\nUID:a\r\n/);
  });

  it.each([
    'RECURRENCE-ID:20260101T000000Z',
    'RECURRENCE-ID;TZID="Europe/Paris":20260101T000000',
    'recurrence-id;value=date:20260101',
  ])('come each with its changes behind it, wherever these stand: %s', (named) => {
    const of = (uid: string, ...more: string[]) =>
      ['BEGIN:VEVENT', ...more, `UID:${uid}`, 'END:VEVENT', ''].join('\n');
    const change = of('a', named);
    const alarm = of('b', 'BEGIN:VALARM', 'UID:a', 'RECURRENCE-ID:1', 'END:VALARM');
    const body = `BEGIN:VCALENDAR\nX-WR-TIMEZONE:Europe/Paris\n${change}${alarm}${of('a')}`;
    const splitter = new CalendarSplitter(1000, 100, 10_000);
    expect(splitter.push(Buffer.from(body))).toEqual([]);
    const read = splitter.end();
    expect(read.map(({ bytes }) => bytes?.toString())).toEqual([of('a'), change, alarm]);
    expect(read.map(({ place }) => place)).toEqual([3, 1, 2]);
    expect(splitter.zones.toString()).toBe('X-WR-TIMEZONE:Europe/Paris\r\n');
    const short = new CalendarSplitter(1000, 100, 100);
    expect(found(short, Buffer.from(body), 7)).toEqual([change, alarm, of('a')]);
  });

  it('come with the time zones of their file, each once, as many as fit', () => {
    const zone = (name: string) => `BEGIN:VTIMEZONE\r\nTZID:${name}\r\nEND:VTIMEZONE\r\n`;
    const [a, b] = [zone('a'), zone('b')];
    const splitter = new CalendarSplitter(1000, 100, 1000);
    const read = found(splitter, Buffer.from(`${a}${one}${a}${b}${zone('c')}${one}`), 7);
    expect(read).toEqual([one, one]);
    expect(splitter.zones.toString()).toBe(a + b);
    const long = new CalendarSplitter(1000, 100, 1000);
    found(long, Buffer.from(`${zone('x'.repeat(200))}${b}`), 7);
    expect(long.zones.toString()).toBe(b);
  });

  it.each([
    ['a line', Buffer.alloc(20 * 1024 * 1024, 'x')],
    ['beginnings', Buffer.alloc(20 * 1024 * 1024, 'BEGIN:VEVENT\n')],
  ])('are left out where they are 20 MB of %s, in little memory', (_what, content) => {
    const file = Buffer.concat([Buffer.from(`${one}BEGIN:VEVENT\n`), content]);
    const splitter = new ComponentSplitter('VEVENT', 1000);
    const before = heldBytes();
    let peak = 0;
    const events: string[] = [];
    let leftOut = 0;
    const take = ({ bytes }: { bytes: Buffer | null }) =>
      bytes ? events.push(bytes.toString()) : leftOut++;
    for (let at = 0; at < file.length; at += 65_536) {
      splitter.push(file.subarray(at, at + 65_536)).forEach(take);
      if (at % (100 * 65_536) === 0) peak = Math.max(peak, heldBytes() - before);
    }
    splitter.end().forEach(take);
    expect(events).toEqual([one]);
    expect(leftOut).toBeGreaterThan(0);
    // A half: what earlier spec files of this process have left running may take some megabytes.
    expect(peak).toBeLessThan(10 * 1024 * 1024);
  });
});

describe('rows', () => {
  it('are found however the body is cut, with line ends within quotes', () => {
    const cell = fc.stringMatching(/^[a-z,\n\r]{0,10}$/).map((text) => `"${text}""x"`);
    fc.assert(
      fc.property(fc.array(cell, { maxLength: 5 }), sizes, (cells, size) => {
        const rows = cells.map((one) => `${one},b\r\n`);
        expect(found(new CsvSplitter(1000), Buffer.from(rows.join('')), size)).toEqual(rows);
      }),
    );
  });

  it('that are too large or never closed are told of, blank ones are not', () => {
    const body = `a,b\n\n \n"${'x'.repeat(2000)}"\nc,d\n"open`;
    const read = found(new CsvSplitter(1000), Buffer.from(body), 100);
    expect(read).toEqual(['a,b\n', null, 'c,d\n', null]);
  });

  it.each([
    ['within a cell', 'n,x\nAnn,5" pipe\nBob,x\n', ['n,x\n', 'Ann,5" pipe\n', 'Bob,x\n']],
    ['behind a blank', 'n,x\nAnn, "5\nBob,x\n', ['n,x\n', 'Ann, "5\n', 'Bob,x\n']],
    ['that is never closed', 'n,x\n"5 pipe,a\nBob,x\nCid,y', ['n,x\n', null, 'Bob,x\n', 'Cid,y']],
    [
      'before other quotes',
      'n,x\nAnn,"5 pipe\nBob,"B"\n"Cid","y\nz"\n',
      ['n,x\n', null, 'Bob,"B"\n', '"Cid","y\nz"\n'],
    ],
    ['behind another delimiter', 'n;x\nAnn;a,"5\nBob;x\n', ['n;x\n', 'Ann;a,"5\n', 'Bob;x\n']],
  ])('are lost by no quote %s but their own', (_what, body, expected) => {
    for (const size of [1, 7, 100])
      expect(found(new CsvSplitter(1000), Buffer.from(body), size)).toEqual(expected);
  });

  it('cost time that grows with the file, whatever its quotes', () => {
    const { ratio } = growthOf(
      (length) => {
        found(new CsvSplitter(256 * 1024), Buffer.from('a,b\n"x\n'.repeat(length / 8)), 65_536);
      },
      4 * 1024 * 1024,
    );
    expect(ratio).toBeLessThan(9);
  });

  it.each([
    ['a line for Excel before them', Buffer.from('\ufeffsep=|\r\na,b|c\r\n1|2\r\n')],
    ['UTF-16 with a mark', Buffer.from('\ufeffa,b|c\r\n1|2\r\n', 'utf16le')],
    ['UTF-16 without one', Buffer.from('a,b|c\r\n1|2\r\n', 'utf16le')],
    ['UTF-16 of the other order', Buffer.from('\ufeffa,b|c\r\n1|2\r\n', 'utf16le').swap16()],
    ['returns alone', Buffer.from('a,b|c\r1|2\r')],
  ])('are found with %s', (_what, body) => {
    for (const size of [1, 3, 100]) {
      const read = found(new TextStream(new CsvSplitter(1000)), body, size);
      expect(read.map((row) => row?.replace('\ufeff', '').trim())).toEqual(['a,b|c', '1|2']);
    }
  });
});
