import type { SearchAnswer, SearchResult } from '@postroom/contracts';
import type { JsonObject } from '../json-rpc/index.js';
import { untrusted, type Presented } from './presented.js';
import { correspondent, shownLabels } from './shown-parts.js';
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
  from: from && correspondent(from),
  labels: shownLabels(result.labels),
  highlights: {
    subject: highlights.subject.map(excerpt),
    from: highlights.from.map(excerpt),
    text: highlights.text.map(excerpt),
  },
});

const excerpt = (piece: string): string => visibleLine(piece, 400);
