import type { DlpPlace } from '@postroom/contracts';
import { isEmail } from '@postroom/contracts/fields/address';
import type { JudgedMessage } from './judgement.js';
import { judgedText } from './judged-text.js';
import { textOfSource } from './text-of-source.js';

/** One reading of what leaves in a place of a message. */
export interface Reading {
  readonly where: DlpPlace;
  readonly written: string;
  /** See `judgedText`. */
  readonly judged: string;
}

/** A message as detectors are given it. */
export interface JudgedContent extends Pick<JudgedMessage, 'attachments'> {
  readonly readings: readonly Reading[];
  /** Addresses. */
  readonly recipients: readonly string[];
}

/** All that leaves with a message, but for the bytes of its files. */
export function contentOf(message: JudgedMessage): JudgedContent {
  const { subject, html, text, recipients, attachments } = message;
  const names = attachments.flatMap(({ filename }) => filename ?? []);
  const people = recipients.map(({ email, name }) => `${name ?? ''} ${email}`);
  const readings = [
    reading('subject', subject),
    ...(html === null ? [] : readingsOfHtml(html)),
    ...(text === null ? [] : [reading('body', text)]),
    // A text that has no element may have entities all the same: what it is written to be is read too.
    ...(html === null && text?.includes('&') === true ? readingsOfHtml(text) : []),
    // A line break parts them, which no detector reads over but as white space.
    reading('attachments', names.join('\n')),
    reading('recipients', people.join('\n')),
  ];
  return { readings, attachments, recipients: recipients.map(({ email }) => email) };
}

const linesMax = 1000;

/**
 * A text that is tried: a body, of which each line may also be the name or the media type of a file and
 * each address a recipient.
 */
export function contentOfTrial(text: string): JudgedContent {
  const lines = text.split(/\r?\n/, linesMax).map((line) => line.trim());
  return {
    readings: readingsOfHtml(text),
    attachments: lines.map((line) => ({ filename: line, mimeType: line })),
    recipients: text.split(/[\s,;<>"()]+/).filter(isEmail),
  };
}

function readingsOfHtml(html: string): Reading[] {
  const { shown, aside } = textOfSource(html);
  return [reading('body', shown), reading('body', aside)];
}

const reading = (where: DlpPlace, written: string): Reading => ({
  where,
  written,
  judged: judgedText(written),
});
