import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isInFull, llmsText } from './for-agents.js';
import { htmlPage } from './html-page.js';
import { markdownPage } from './markdown-page.js';
import type { FieldRow, Page } from './page.js';
import { skill } from './pages/guides.js';
import { gatherSite, markdownPath, type Site } from './site.js';

const assetsFolder = new URL('../assets/', import.meta.url);

/** All files of the portal by their paths, with `.html` behind those of pages. */
export function builtFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  /** A name that changes with the content may be kept by browsers for good. */
  const hashed = (name: string, content: string): string => {
    const digest = createHash('sha256').update(content).digest('base64url').slice(0, 10);
    const path = `/docs/assets/${name.replace('.', `.${digest}.`)}`;
    files.set(path, content);
    return path;
  };
  const asset = (name: string): string =>
    hashed(name, readFileSync(new URL(name, assetsFolder), 'utf8'));
  const site = gatherSite();
  const assets = {
    stylesheet: asset('site.css'),
    script: asset('site.js'),
    searchIndex: hashed('search.json', searchIndex(site)),
  };
  for (const page of site.pages) {
    const name = page.path === '/docs' ? '/docs/index' : page.path;
    files.set(`${name}.html`, htmlPage(page, site, assets));
    files.set(markdownPath(page), markdownPage(page, site));
  }
  // The same call in other languages stands on each page's own.
  const full = site.pages
    .filter(isInFull)
    .map((page) => markdownPage({ ...page, requests: page.requests?.slice(0, 1) ?? [] }, site));
  const fullText = full.join('\n');
  const llms = llmsText(site, Buffer.byteLength(fullText));
  return files
    .set('/docs/llms-full.txt', fullText)
    .set('/docs/skill.md', skill())
    .set('/docs/llms.txt', llms)
    .set('/llms.txt', llms);
}

/** The text that the script searches: address, title, summary, and further words of each page. */
const searchIndex = ({ pages }: Site): string =>
  JSON.stringify(
    pages
      .filter(({ path }) => path !== '/docs/not-found')
      .map((page) => [page.path, page.title, page.summary, wordsOf(page)]),
  );

function wordsOf({ path, blocks, facts = [] }: Page): string {
  const names = (rows: readonly FieldRow[]): readonly string[] => rows.map(({ name }) => name);
  const fields = blocks.flatMap((block) => (typeof block === 'string' ? [] : names(block.fields)));
  const calls = facts.flatMap(([name, value]) =>
    name === 'Client' ? [value.replace(/^\[`(.+)`\].*/, '$1')] : [],
  );
  return [path.split('/').slice(3).join('.'), ...calls, ...new Set(fields)].join(' ');
}
