import type { SearchAnswer, SearchResult } from '@postroom/contracts';
import type { JsonObject } from '../json-rpc/index.js';
import { untrusted, type Presented } from './presented.js';
import { visibleLine } from './visible-text.js';

const namesMax = 200;

/** What was found; every text of it comes from a message. */
export function searchResult(answer: JsonObject): Presented {
  const { mailbox, query, results } = answer as unknown as SearchAnswer;
  return untrusted({ mailbox, query: visibleLine(query, 500), results: results.map(found) });
}

const found = ({ from, highlights, ...result }: SearchResult) => ({
  ...result,
  subject: visibleLine(result.subject, namesMax),
  preview: visibleLine(result.preview, namesMax),
  from: from && {
    email: visibleLine(from.email, namesMax),
    name: from.name && visibleLine(from.name, namesMax),
  },
  labels: result.labels.slice(0, 50).map((label) => visibleLine(label, 128)),
  highlights: {
    subject: highlights.subject.map((piece) => visibleLine(piece, 400)),
    from: highlights.from.map((piece) => visibleLine(piece, 400)),
    text: highlights.text.map((piece) => visibleLine(piece, 400)),
  },
});
