import type { Page, Section } from './page.js';
import { events } from './pages/events.js';
import { changelog, guidePages } from './pages/guides.js';
import { objects } from './pages/objects.js';
import { errors, limits, settings, start } from './pages/overviews.js';
import { reference } from './pages/reference.js';

/** Pages under one title, in the contents and in llms.txt. */
export interface Group {
  readonly title: string;
  /** The address of the list of its pages. */
  readonly path: string;
  readonly pages: readonly Page[];
}

/** All pages of the portal. */
export interface Site {
  readonly pages: readonly Page[];
  readonly byPath: ReadonlyMap<string, Page>;
  readonly groups: readonly Group[];
}

/** The address of a page as Markdown. */
export const markdownPath = ({ path }: Page): string =>
  path === '/docs' ? '/docs/index.md' : `${path}.md`;

/** Gathers the pages from the table of operations and from the files of docs/. */
export function gatherSite(): Site {
  const guides = guidePages();
  const pages = [
    ...[start(guides), ...guides, settings(), ...reference(), ...events(), ...objects()],
    ...[errors(), limits(), changelog()],
  ];
  const of = (...sections: Section[]): readonly Page[] =>
    pages.filter(({ section }) => sections.includes(section));
  const all = [...pages, searchPage(pages), notFound];
  return {
    pages: all,
    byPath: new Map(all.map((page) => [page.path, page])),
    groups: [
      { title: 'Guides', path: '/docs#guides', pages: of('start', 'guide') },
      { title: 'Reference', path: '/docs#reference', pages: of('public') },
      { title: 'Objects', path: '/docs/objects', pages: of('object') },
      { title: 'Events', path: '/docs/events', pages: of('event') },
      { title: 'More', path: '/docs/search', pages: of('more') },
      { title: 'Settings', path: '/docs/settings', pages: of('settings') },
    ],
  };
}

const searchPage = (pages: readonly Page[]): Page => ({
  path: '/docs/search',
  title: 'All pages',
  summary: 'Every page of the portal.',
  section: 'more',
  blocks: [
    'Press `/` to search, where scripts run; or find the page in this list.',
    pages
      .map(
        ({ path, title, endpoint }) =>
          `- [${title}](${path})${endpoint ? ` \`${endpoint.method} ${endpoint.path}\`` : ''}`,
      )
      .join('\n'),
  ],
});

/** The page that any other address below /docs is answered with. */
const notFound: Page = {
  path: '/docs/not-found',
  title: 'There is no such page',
  summary: 'There is no page at this address.',
  section: 'more',
  blocks: [
    'It may have another name by now. [Search all pages](/docs/search), or begin at [the start](/docs). `/docs/llms.txt` lists all of them for programs.',
  ],
};
