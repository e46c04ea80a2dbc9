import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { entryBytesMax, importedMessageBytesMax, zonesBytesMax } from '@postroom/contracts';
import { CalendarSplitter, ComponentSplitter, CsvSplitter, MboxSplitter } from '@postroom/formats';
import { TextStream, type EntrySplitter } from '@postroom/formats';
import { Pieces } from '@postroom/limits';
import { longestTurn } from '@postroom/testing';
import { isFullRun } from '@postroom/testing/repetitions';
import { limits } from '../limits.js';
import { JsonBody } from './bodies/json-body.js';

const mebi = 1024 * 1024;
/** Two entries of the largest size and more. */
const bodyBytes = isFullRun() ? mebi : 640 * 1024;
const chunkBytes = 64 * 1024;

/** Takes a body as it arrives. */
interface Reader {
  readonly isBehind?: boolean;
  push(piece: Buffer): unknown;
  end(): unknown;
}

const entries = (splitter: EntrySplitter): Reader => new TextStream(splitter);
const cards = (): Reader => entries(new ComponentSplitter('VCARD', entryBytesMax));
const rows = (): Reader => entries(new CsvSplitter(entryBytesMax));
const events = (): Reader => entries(new CalendarSplitter(entryBytesMax, zonesBytesMax, 8 * mebi));
const mbox = (): Reader => new MboxSplitter(importedMessageBytesMax);
const sink = { begin: () => undefined, add: () => undefined, end: () => null };
const json = (): Reader => new JsonBody([['files', '*', 'content']], sink);

/** The shortest tokens of each format: how a body begins, and what comes then again and again. */
const cheapest: readonly [format: string, start: string, token: string, reader: () => Reader][] = [
  ['mbox', 'From a\nA: b\n\n', '\n', mbox],
  ['mbox', 'From a\nA: b\n', 'A:\n', mbox],
  ['mbox', '', 'From a\nA:\n\n', mbox],
  ['mbox', 'From a\nA: b\n\n', '>From \n', mbox],
  ['mbox', 'From a\nContent-Length: 9000000\n\n', 'From a Mon Jan 1 00:00 2000\n', mbox],
  ['vCard', '', '\n', cards],
  ['vCard', 'BEGIN:VCARD\n', ':\n', cards],
  ['vCard', 'BEGIN:VCARD\n', ' \n', cards],
  ['vCard', '', 'BEGIN:VCARD\n', cards],
  ['vCard', '', 'BEGIN:VCARD\nEND:VCARD\n', cards],
  ['CSV', 'a,b\n', '\n', rows],
  ['CSV', 'a,b\n', ',', rows],
  ['CSV', 'a,b\n', 'x\n', rows],
  ['CSV', 'a,b\n', '"', rows],
  ['CSV', 'a,b\n', '"x\n', rows],
  ['CSV', 'a,b\n"', 'x\n', rows],
  ['CSV', 'a,b\n', '\r', rows],
  ['iCalendar', '', '\n', events],
  ['iCalendar', 'BEGIN:VEVENT\n', ':\n', events],
  ['iCalendar', '', 'BEGIN:VEVENT\n', events],
  ['iCalendar', '', 'BEGIN:VEVENT\nEND:VEVENT\n', events],
  ['iCalendar', '', 'BEGIN:VTIMEZONE\nEND:VTIMEZONE\n', events],
  ['iCalendar', 'BEGIN:VEVENT\n', 'BEGIN:A\nEND:A\n', events],
  ['JSON', '', '[', json],
  ['JSON', '[', '1,', json],
  ['JSON', '[', '"",', json],
  ['JSON', '[', '{},', json],
  ['JSON', '', '{"":', json],
  ['JSON', '{', '"a":0,', json],
  ['JSON', '{"a":"', '\\n', json],
  ['JSON', '{"files":[{"content":"', '\\n', json],
  ['JSON', '', ' ', json],
  ['JSON', '', '1', json],
];

/** Reads a body as the gateway does; milliseconds of CPU that the event loop was late by at most. */
async function latest(reader: Reader, body: Buffer): Promise<number> {
  const pieces = new Pieces(limits.pieces);
  const chunks = Array.from({ length: Math.ceil(body.length / chunkBytes) }, (_, i) =>
    body.subarray(i * chunkBytes, (i + 1) * chunkBytes),
  );
  const turns = longestTurn();
  const read = async (): Promise<void> => {
    for await (const _found of pieces.split('tnt_1', Readable.from(chunks), reader));
  };
  // A body that cannot be read has an end too.
  await read().catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 10));
  return turns.stop();
}

describe('a body of the cheapest tokens', () => {
  it.each(cheapest)(
    'keeps nobody waiting for 50 ms: %s, %j and then %j',
    async (_format, start, token, reader) => {
      const body = Buffer.concat([Buffer.from(start), Buffer.alloc(bodyBytes, token)]);
      let least = Infinity;
      // The process collects garbage of other specs too: what is due to the body comes each time.
      for (let tries = 0; tries < 10 && least >= 50; tries++)
        least = Math.min(least, await latest(reader(), body));
      expect(least).toBeLessThan(50);
    },
  );
});
