import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parseMessage } from './parse-message.js';

/*
 * Each message of the corpus as parsed. A golden file is an expectation that someone has read:
 * `UPDATE_GOLDENS=1` writes them anew, and the difference belongs in a commit that says why.
 */
const corpus = new URL('../../../../../shared/corpus/mail/', import.meta.url);
const goldens = new URL('./golden/', import.meta.url);
const mustUpdate = process.env.UPDATE_GOLDENS === '1';
const shownTextUnits = 2000;

const names = (folder: URL, ending: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length));

// Without the corpus the suite is skipped, and a skipped table needs a row all the same.
const messages = existsSync(corpus) ? names(corpus, '.eml') : ['(not here)'];

async function summaryOf(name: string): Promise<object> {
  const message = await parseMessage(readFileSync(new URL(`${name}.eml`, corpus)));
  const { subject, from, to, cc, replyTo, messageId, inReplyTo, references, sentAt } = message;
  const text = message.text?.slice(0, shownTextUnits) ?? null;
  return {
    ...{ subject, from, to, cc, replyTo, messageId, inReplyTo, references, sentAt, text },
    extractedText:
      message.extractedText === message.text
        ? '(whole)'
        : message.extractedText?.slice(0, shownTextUnits),
    isAutoReply: message.isAutoReply,
    isBounce: message.isBounce,
    html: message.html !== null,
    attachments: message.attachments.map(({ source: _, ...shown }) => shown),
  };
}

const describeIfThere = existsSync(corpus) ? describe : describe.skip;

describeIfThere('the corpus of real mail (../shared/corpus/mail beside the repository)', () => {
  it.each(messages)('becomes what its golden file says: %s', async (name) => {
    const summary = await summaryOf(name);
    const golden = new URL(`${name}.json`, goldens);
    if (mustUpdate) writeFileSync(golden, `${JSON.stringify(summary, null, 2)}\n`);
    expect(summary).toEqual(JSON.parse(readFileSync(golden, 'utf8')));
  });

  it('has a message for every golden file', () => {
    expect(names(goldens, '.json').sort()).toEqual(messages.sort());
  });
});
