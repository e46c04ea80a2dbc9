import { html, type Html } from '@postroom/formats';
import { highlighted, type Heading, inline, rendered } from './markdown.js';
import { type Block, type FieldRow, type Page, type Sample, titleOf } from './page.js';
import { type Group, markdownPath, type Site } from './site.js';

/** Addresses of the hashed files of a build. */
export interface Assets {
  readonly stylesheet: string;
  readonly script: string;
  readonly searchIndex: string;
}

/** The whole document of a page. */
export function htmlPage(page: Page, site: Site, assets: Assets): string {
  const blocks = page.blocks.map(blockOf);
  const headings = blocks.flatMap((block) => block.headings);
  const beside = [
    ...(page.requests ? [samples('Request', page.requests)] : []),
    ...(page.answers ? [samples('Answer', page.answers)] : []),
  ];
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${page.title} – Postroom</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="description" content="${page.summary}" />
        <link rel="stylesheet" href="${assets.stylesheet}" />
        <link rel="alternate" type="text/markdown" href="${markdownPath(page)}" />
        <script src="${assets.script}" data-index="${assets.searchIndex}"></script>
      </head>
      <body>
        <a class="skip" href="#text">Skip to the text</a>
        ${top}
        <div class="columns ${page.section}">
          ${navigation(page, site)}
          <main id="text">
            <h1>${page.title}</h1>
            ${page.endpoint ? endpoint(page.endpoint) : null}
            ${page.facts ? facts(page.facts) : null} ${blocks.map(({ body }) => body)}
            <footer><a href="${markdownPath(page)}">This page as Markdown</a></footer>
          </main>
          <aside aria-label="${beside.length > 0 ? 'Examples' : 'On this page'}">
            ${beside.length > 0 ? beside : contents(headings)}
          </aside>
        </div>
      </body>
    </html> `.text;
}

const top = html`<header>
  <a class="brand" href="/docs"><strong>Postroom</strong> API</a>
  <a class="search" href="/docs/search">Search<kbd>/</kbd></a>
  <nav aria-label="Main">
    <a href="/docs/guides/first-call">First call</a><a href="/docs#reference">Reference</a
    ><a href="/docs/events">Events</a><a href="/docs/settings">Settings</a>
  </nav>
  <button class="scheme" type="button" hidden>Dark</button>
</header>`;

const endpoint = ({ method, path }: NonNullable<Page['endpoint']>): Html =>
  html`<p class="endpoint">
    <span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code>
  </p>`;

const facts = (list: NonNullable<Page['facts']>): Html =>
  html`<dl class="facts">
    ${list.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${inline(value)}</dd>
        </div>`,
    )}
  </dl>`;

interface RenderedBlock {
  readonly body: Html;
  readonly headings: readonly Heading[];
}

function blockOf(block: Block): RenderedBlock {
  if (typeof block === 'string') return rendered(block);
  const { body, headings } = rendered(`## ${block.heading}`);
  return { body: html`${body}${fieldList(block.fields)}`, headings };
}

const fieldList = (rows: readonly FieldRow[]): Html =>
  html`<ul class="fields">
    ${rows.map(fieldItem)}
  </ul>`;

const fieldItem = ({ name, kind, isRequired, about, parts }: FieldRow): Html =>
  html`<li>
    <p>
      <code>${name}</code>
      <span class="kind">${inline(kind)}</span
      >${isRequired ? null : html` <span class="optional">optional</span>`}
    </p>
    <p>${inline(about)}</p>
    ${
      parts.length > 0
        ? html`<details>
            <summary>Fields of <code>${name}</code></summary>
            ${fieldList(parts)}
          </details>`
        : null
    }
  </li>`;

/** A radio button for each sample: the stylesheet shows the one that is chosen. */
const samples = (legend: string, list: readonly Sample[]): Html =>
  html`<fieldset class="samples">
    <legend>${legend}</legend>
    ${list.map(({ label }, at) => {
      const id = `${legend.toLowerCase()}-${at}`;
      const checked = at === 0 ? html` checked` : null;
      return html`<input type="radio" name="${legend.toLowerCase()}" id="${id}" ${checked} /><label
          for="${id}"
          >${label}</label
        >`;
    })}
    ${list.map(({ code, language }) => html`<pre tabindex="0"><code>${highlighted(code, language)}</code></pre>`)}
  </fieldset>`;

const contents = (headings: readonly Heading[]): Html | null => {
  const shown = headings.filter(({ level }) => level === 2);
  if (shown.length < 2) return null;
  return html`<p>On this page</p>
    <ul>
      ${shown.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}
    </ul>`;
};

/** True if the pages of a group are listed. Elsewhere its title leads to the first. */
const isOpen = ({ title, pages }: Group, { path, section }: Page): boolean => {
  if (pages.some((one) => one.path === path)) return true;
  if (title === 'Reference') return !['settings', 'event', 'object'].includes(section);
  return !['Objects', 'Events', 'Settings'].includes(title);
};

/** The contents. A check box opens them where there is no room beside the text. */
function navigation(page: Page, { groups }: Site): Html {
  const groupOf = (group: Group): Html => {
    const { title, pages } = group;
    const first = title === 'Reference' ? '/docs#reference' : (pages[0]?.path ?? '/docs');
    if (!isOpen(group, page)) return html`<p><a href="${first}">${title}</a></p>`;
    const shown = pages.filter((one) => !one.endpoint || one.family === page.family);
    return html`<p>${title}</p>
      <ul>
        ${shown.map((one) => entry(one, page))}
      </ul>`;
  };
  return html`<nav class="pages" aria-label="Pages">
    <input type="checkbox" id="menu" /><label for="menu">Pages</label>
    <div>${groups.map(groupOf)}</div>
  </nav>`;
}

function entry(one: Page, page: Page): Html {
  const current = one.path === page.path ? html` aria-current="page"` : null;
  const method = one.endpoint?.method ?? null;
  const mark =
    method === null ? null : html`<span class="method ${method.toLowerCase()}">${method}</span>`;
  return html`<li${method === null ? null : html` class="operation"`}><a href="${one.path}"${current}>${mark}${one.endpoint ? titleOf(one.path.split('/').at(-1) ?? '') : one.title}</a></li>`;
}
