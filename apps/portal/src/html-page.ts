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
  <button class="scheme" type="button" hidden>Dark</button>
</header>`;

const method = (name: string): Html => html`<b class="${name.toLowerCase()}">${name}</b>`;

const endpoint = (of: NonNullable<Page['endpoint']>): Html =>
  html`<p class="endpoint">${method(of.method)} <code>${of.path}</code></p>`;

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
    <code>${name}</code>
    <small>${inline(kind)}</small>${isRequired ? null : html` <em>optional</em>`}
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
    ${list.map(
      ({ label }, at) =>
        html`<label
          ><input
            type="radio"
            name="${legend.toLowerCase()}"
            ${at === 0 ? html` checked` : null}
          />${label}</label
        >`,
    )}
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

/** The contents, short enough for every page: all groups, and the pages of the one that it is in. */
function navigation(page: Page, { groups }: Site): Html {
  const groupOf = ({ title, path, pages }: Group): Html => {
    const isHere = pages.some((one) => one.path === page.path);
    // Objects, events and settings are listed on a page of their own, not beside each page.
    const shown = pages.filter(
      ({ endpoint, family, section, path: at }) =>
        at === page.path ||
        (endpoint
          ? family === page.family
          : ['start', 'guide', 'public', 'more'].includes(section)),
    );
    const list = isHere
      ? html`<ul>
          ${shown.map((one) => entry(one, page))}
        </ul>`
      : null;
    return html`<p><a href="${path}">${title}</a></p>
      ${list}`;
  };
  return html`<nav class="pages" aria-label="Pages">
    <input type="checkbox" id="menu" /><label for="menu">Pages</label>
    <div>${groups.map(groupOf)}</div>
  </nav>`;
}

function entry({ path, title, endpoint }: Page, page: Page): Html {
  const current = path === page.path ? html` aria-current="page"` : null;
  const name = endpoint ? titleOf(path.split('/').at(-1) ?? '') : title;
  return html`<li>
    <a href="${path}" ${current}>${endpoint ? method(endpoint.method) : null}${name}</a>
  </li>`;
}
