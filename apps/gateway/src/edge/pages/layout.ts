import type { FastifyReply } from 'fastify';
import { html, type Html } from '@postroom/formats';
import { stylesheetPath } from './stylesheet.js';

/** The extras of a page, beside its stylesheet and its own forms. */
interface PageExtras {
  /** The address of a script of the build, which asks the settings API, where scripts run. */
  readonly script?: string | null;
  /** The source that its form may lead to beside our own pages: browsers look at redirections too. */
  readonly goesTo?: string;
}

const policyOf = ({ script = null, goesTo = '' }: PageExtras): string =>
  [
    "default-src 'none'; style-src 'self'",
    `form-action 'self'${goesTo && ` ${goesTo}`}`,
    "base-uri 'none'; frame-ancestors 'none'",
    ...(script === null ? [] : ["script-src 'self'; connect-src 'self'"]),
  ].join('; ');

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cross-origin-opener-policy': 'same-origin',
  // Without a referrer of its own origin, a browser gives a form's request the origin `null`.
  'referrer-policy': 'same-origin',
  'x-robots-tag': 'noindex',
};

/** Sends a page. */
export async function sendPage(
  reply: FastifyReply,
  status: number,
  title: string,
  body: Html,
  extras: PageExtras = {},
): Promise<void> {
  const csp = { 'content-security-policy': policyOf(extras) };
  await reply
    .code(status)
    .headers({ ...headers, ...csp })
    .send(documentOf(title, body, extras.script ?? null).text);
}

const documentOf = (title: string, body: Html, script: string | null): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${title} – Postroom</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="stylesheet" href="${stylesheetPath}" />
        ${script === null ? null : html`<script type="module" src="${script}"></script>`}
      </head>
      <body>
        <main>
          <p class="product">Postroom</p>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html> `;
