import type { FastifyReply } from 'fastify';
import { html, type Html } from '@postroom/formats';
import { stylesheetPath } from './stylesheet.js';

/** Nothing but the page, its stylesheet and its own forms. */
const policy =
  "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** The same, and a script of the build, which asks the settings API. */
const scriptedPolicy = `${policy}; script-src 'self'; connect-src 'self'`;

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cross-origin-opener-policy': 'same-origin',
  // Without a referrer of its own origin, a browser gives a form's request the origin `null`.
  'referrer-policy': 'same-origin',
  'x-robots-tag': 'noindex',
};

/**
 * Sends a page.
 * @param script the address of what adds to it where scripts run
 */
export async function sendPage(
  reply: FastifyReply,
  status: number,
  title: string,
  body: Html,
  script: string | null = null,
): Promise<void> {
  const csp = { 'content-security-policy': script === null ? policy : scriptedPolicy };
  await reply
    .code(status)
    .headers({ ...headers, ...csp })
    .send(documentOf(title, body, script).text);
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
