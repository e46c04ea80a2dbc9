import { describe, expect, it } from '@jest/globals';
import { heldBytes } from '@postroom/testing';
import fc from 'fast-check';
import {
  CalendarSplitter,
  ComponentSplitter,
  CsvSplitter,
  type EntrySplitter,
} from './entry-splitters.js';

/** The entries that a splitter finds in a body in chunks of a size; null for entries that it left out. */
function found(splitter: EntrySplitter, body: Buffer, size: number): (string | null)[] {
  const entries = [];
  for (let at = 0; at < body.length; at += size)
    entries.push(...splitter.push(body.subarray(at, at + size)));
  entries.push(...splitter.end());
  return entries.map((entry) => entry?.toString() ?? null);
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
      card('FN:A', `PHOTO;VALUE=uri:data:image/png;base64,${data}`, 'TEL:1'),
      card('FN:B', `item1.PHOTO;ENCODING=b;TYPE=JPEG:/9j`, folded, 'TEL:2'),
      card('FN:C', 'PHOTO;JPEG;BASE64:', 'abcd=', 'efgh=', '', 'TEL:3', 'KEY:x'),
      card('FN:D', 'NOTE:a', ' PHOTO:b', 'TEL:4'),
    ].join('');
    const expected = [
      ...['A', 'B', 'C'].map((name, i) => card(`FN:${name}`, `TEL:${i + 1}`)),
      card('FN:D', 'NOTE:a', ' PHOTO:b', 'TEL:4'),
    ];
    for (const size of [65_536, 500])
      expect(found(new ComponentSplitter('VCARD', 1000), Buffer.from(body), size)).toEqual(
        expected,
      );
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

  it('come with the time zones that were defined before them, each once, as many as fit', () => {
    const zone = (name: string) => `BEGIN:VTIMEZONE\r\nTZID:${name}\r\nEND:VTIMEZONE\r\n`;
    const [a, b] = [zone('a'), zone('b')];
    const splitter = new CalendarSplitter(1000, 100);
    const read = found(splitter, Buffer.from(`${a}${one}${a}${b}${zone('c')}${one}`), 7);
    expect(read).toEqual([one, one]);
    expect(splitter.zones.toString()).toBe(a + b);
    const long = new CalendarSplitter(1000, 100);
    found(long, Buffer.from(`${zone('x'.repeat(200))}${b}`), 7);
    expect(long.zones.toString()).toBe(b);
  });

  it.each([
    ['a line', Buffer.alloc(50 * 1024 * 1024, 'x')],
    ['beginnings', Buffer.alloc(50 * 1024 * 1024, 'BEGIN:VEVENT\n')],
  ])('are left out where they are 50 MB of %s, in little memory', (_what, content) => {
    const file = Buffer.concat([Buffer.from(`${one}BEGIN:VEVENT\n`), content]);
    const splitter = new ComponentSplitter('VEVENT', 1000);
    const before = heldBytes();
    let peak = 0;
    const events: string[] = [];
    let leftOut = 0;
    const take = (entry: Buffer | null) => (entry ? events.push(entry.toString()) : leftOut++);
    for (let at = 0; at < file.length; at += 65_536) {
      splitter.push(file.subarray(at, at + 65_536)).forEach(take);
      if (at % (100 * 65_536) === 0) peak = Math.max(peak, heldBytes() - before);
    }
    splitter.end().forEach(take);
    expect(events).toEqual([one]);
    expect(leftOut).toBeGreaterThan(0);
    // A fifth: what earlier spec files of this process have left running may take some megabytes.
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
});
