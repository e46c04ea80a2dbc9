import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ContactContent } from '@postroom/contracts';
import { javaWith, pythonWith, whereThere } from '@postroom/testing';
import { isFullRun, repetitions } from '@postroom/testing/repetitions';
import fc from 'fast-check';
import { itemOf, plainContents } from '../testing/generated-contacts.js';
import { contentOf } from './given-entry.js';
import { readVcard } from './read-vcard.js';
import { writeVcard } from './write-vcard.js';

const java = javaWith('com.googlecode.ez-vcard:ez-vcard:0.12.1');
/** A JVM takes seconds of CPU for each of them. */
const javaInFull = isFullRun() ? java : { missing: 'npm run test:full runs it' };
const python = pythonWith(['vobject==0.9.9']);

const timeoutMs = 120_000;
const program = (name: string): string =>
  fileURLToPath(new URL(`./outside/${name}`, import.meta.url));

function run(command: string, args: readonly string[], input: string, env = process.env): string {
  const bytesMax = 100 * 1024 * 1024;
  const { status, stdout, stderr } = spawnSync(command, args, {
    ...{ input, env, timeout: timeoutMs, maxBuffer: bytesMax },
  });
  if (status !== 0) throw new Error(`${command}: ${stderr.toString()}`);
  return stdout.toString();
}
const ezVcard = (args: readonly string[], input: string): string =>
  run('java', ['-cp', java.classPath, program('EzVcard.java'), ...args], input);

/** A line of what the programs exchange: a property, its type, its value in base64. */
const lineOf = (name: string, value: string | null | undefined, type: string | null = null) =>
  value ? [`${name} ${type ?? '-'} ${Buffer.from(value).toString('base64')}`] : [];

/** A contact as the programs read and write it. */
const linesOf = (contact: ContactContent): string[] => [
  ...lineOf('fn', contact.displayName),
  ...lineOf('family', contact.familyName),
  ...lineOf('given', contact.givenName),
  ...(contact.emails ?? []).flatMap(({ value, type }) => lineOf('email', value, type)),
  ...(contact.phones ?? []).flatMap(({ value, type }) => lineOf('tel', value, type)),
  ...lineOf('org', contact.organization),
  ...lineOf('title', contact.jobTitle),
  ...(contact.groups ?? []).flatMap((group) => lineOf('group', group)),
  ...lineOf('note', contact.notes),
];
const textOf = (all: readonly ContactContent[]): string =>
  all.map((contact) => `${linesOf(contact).join('\n')}\n\n`).join('');

/** The contacts read from the cards that a program wrote. */
const readAll = (text: string): ContactContent[] =>
  text
    .split(/(?<=^END:VCARD\r?\n)/m)
    .filter((card) => card.trim() !== '')
    .map((card) => contentOf(readVcard(Buffer.from(card))));

/** The contact as vCard 2.1 can express it: no groups, and `\\;` in a text is a semicolon, as most writers mean it. */
const inOldCard = ({ groups: _, ...content }: ContactContent): ContactContent =>
  Object.fromEntries(
    Object.entries(content).map(([name, value]) => {
      const isText = ['displayName', 'jobTitle', 'notes'].includes(name);
      return [name, isText && typeof value === 'string' ? value.replaceAll('\\;', ';') : value];
    }),
  );

const count = repetitions(1000, 50);
/** The same in each run, so that what is found is found again. */
const all = fc.sample(plainContents, { numRuns: count, seed: 1 });

describe('cards of ours', () => {
  whereThere(javaInFull, it)(
    'are read without loss by ez-vcard',
    () => {
      const cards = all.map((content) => writeVcard(itemOf(content))).join('');
      expect(ezVcard(['read'], cards).trim().split('\n\n')).toEqual(
        all.map((content) => linesOf(content).join('\n')),
      );
    },
    timeoutMs,
  );
});

describe('cards of others', () => {
  for (const version of ['4.0', '3.0', '2.1'] as const) {
    whereThere(javaInFull, it)(
      `are read without loss: ez-vcard, ${version}`,
      () => {
        const read = readAll(ezVcard(['write', version], textOf(all)));
        const said = version === '2.1' ? all.map(inOldCard) : all;
        expect(read).toEqual(said);
      },
      timeoutMs,
    );
  }

  whereThere(python, it)(
    'are read without loss: vobject, 3.0',
    () => {
      const written = run('python3', [program('vobject_cards.py')], textOf(all), python.env);
      expect(readAll(written)).toEqual(all);
    },
    timeoutMs,
  );
});
