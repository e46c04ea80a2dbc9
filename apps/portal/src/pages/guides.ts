import { readFileSync } from 'node:fs';
import { relinked } from '../markdown.js';
import type { Page } from '../page.js';

/** The pages of docs/ that are for integrators, by the name of their address, in the order of the contents. */
const guides: Readonly<Record<string, string>> = {
  'first-call': 'first-call.md',
  'keep-a-copy': 'integrating.md',
  'retry-safely': 'retry-safely.md',
  paging: 'paging.md',
  errors: 'errors.md',
  'verify-webhooks': 'webhooks.md',
  'agents-and-approvals': 'agents.md',
  mcp: 'mcp.md',
  sdk: 'sdk.md',
  python: 'python.md',
  'command-line': 'cli.md',
  'mail-setup': 'mail.md',
};

const repository = new URL('../../../../', import.meta.url);

const addresses = new Map<string, string>([
  ...Object.entries(guides).map(
    ([name, file]) => [`docs/${file}`, `/docs/guides/${name}`] as const,
  ),
  ['CHANGELOG.md', '/docs/changelog'] as const,
]);

/** A link of a file as one of the portal; null where it leads to a file that the portal does not have. */
function targetIn(file: string, target: string): string | null {
  if (/^(?:[a-z]+:|[/#])/.test(target)) return target;
  const { pathname, hash } = new URL(target, new URL(file, 'file:///'));
  const address = addresses.get(pathname.slice(1));
  return address === undefined ? null : address + hash;
}

const heading = /^# (.+)\n+/;
const sentence = /^[^]*?\.(?=\s)/;

/** A file of the repository as a page: its first heading is the title, its first sentence the summary. */
function pageOf(file: string, path: string, section: Page['section']): Page {
  const text = relinked(readFileSync(new URL(file, repository), 'utf8'), (one) =>
    targetIn(file, one),
  );
  const body = text.replace(heading, '');
  const plain = relinked(body, () => null).replaceAll(/\s+/g, ' ');
  return {
    path,
    title: heading.exec(text)?.[1] ?? file,
    summary: sentence.exec(plain)?.[0] ?? '',
    section,
    blocks: [body],
  };
}

export const guidePages = (): readonly Page[] =>
  Object.entries(guides).map(([name, file]) =>
    pageOf(`docs/${file}`, `/docs/guides/${name}`, 'guide'),
  );

export const changelog = (): Page => pageOf('CHANGELOG.md', '/docs/changelog', 'more');

/** The file that coding agents install. */
export const skill = (): string =>
  relinked(readFileSync(new URL('docs/skill.md', repository), 'utf8'), (one) =>
    targetIn('docs/skill.md', one),
  );
