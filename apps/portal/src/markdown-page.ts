import { demoOrigin } from './code-samples.js';
import { relinked } from './markdown.js';
import type { Block, FieldRow, Page, Sample } from './page.js';
import { markdownPath, type Site } from './site.js';

/** A page as Markdown, whose links lead to Markdown. */
export const markdownPage = (page: Page, { byPath }: Site): string =>
  relinked(sourceOf(page), (target) => {
    const [path = '', anchor] = target.split('#');
    // A part of the same page: in llms-full.txt it would be of none.
    const other = path === '' ? page : byPath.get(path);
    if (!other) return target;
    return anchor === undefined ? markdownPath(other) : `${markdownPath(other)}#${anchor}`;
  });

/** A browser puts the reader's address into a page; a text says what to put there. */
const elsewhere = `> Addresses in examples are those of a demo, ${demoOrigin}: put your deployment's there.`;

function sourceOf({
  title,
  section,
  endpoint,
  facts = [],
  blocks,
  requests = [],
  answers = [],
}: Page): string {
  const parts = [
    `# ${title}`,
    ...(section === 'guide' ? [elsewhere] : []),
    ...(endpoint ? [`\`${endpoint.method} ${endpoint.path}\``] : []),
    ...(facts.length > 0 ? [facts.map(([name, value]) => `- ${name}: ${value}`).join('\n')] : []),
    ...blocks.map(blockOf),
    ...requests.map((one) => sampleOf('Request', one)),
    ...answers.map((one) => sampleOf('Answer', one)),
  ];
  return `${parts.map((part) => part.trim()).join('\n\n')}\n`;
}

const blockOf = (block: Block): string =>
  typeof block === 'string' ? block : `## ${block.heading}\n\n${fieldList(block.fields, '')}`;

const fieldList = (rows: readonly FieldRow[], indent: string): string =>
  rows
    .map(({ name, kind, isRequired, about, parts }) => {
      const own = `${indent}- \`${name}\` (${kind}${isRequired ? '' : ', optional'}): ${about}`;
      return parts.length > 0 ? `${own}\n${fieldList(parts, `${indent}  `)}` : own;
    })
    .join('\n');

const sampleOf = (kind: string, { label, language, code }: Sample): string =>
  `## ${kind}: ${label}\n\n\`\`\`${language}\n${code}\n\`\`\``;
