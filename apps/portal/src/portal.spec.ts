import { describe, expect, it } from '@jest/globals';
import { eventGroups, isMounted, ownText, table } from '@postroom/contracts';
import { builtFiles } from './build.js';
import { rendered } from './markdown.js';
import { operationPage } from './pages/reference.js';

type Mounted = Parameters<typeof operationPage>[0];

const files = builtFiles();
const pages = [...files].filter(([path]) => path.endsWith('.html'));
const texts = [...files].filter(([path]) => /\.(?:md|txt)$/.test(path));

const addressOf = (file: string): string => file.replace(/(?:\/index)?\.html$/, '');
const addresses = new Set([...files.keys()].map(addressOf));
const anchors = new Map(
  pages.map(([path, text]) => [
    addressOf(path),
    new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)),
  ]),
);

/** Paths that the gateway answers beside the portal's. */
const elsewhere =
  /^\/(?:public\/(?:openapi|asyncapi)\.json|settings\/openapi\.json|docs\/postroom-(?:sdk|cli)\.tgz)$/;

/** True if a link of a page leads somewhere. */
function leads(target: string, from: string): boolean {
  if (/^(?:https:|vscode:|cursor:)/.test(target)) return true;
  const [path = '', anchor] = target.split('#');
  const page = path === '' ? from : path;
  if (!addresses.has(page)) return elsewhere.test(page);
  return (
    anchor === undefined ||
    (anchors.get(page.replace(/(?:\/index)?\.md$/, ''))?.has(anchor) ?? false)
  );
}

/** The links of files that lead nowhere. */
const broken = (some: readonly (readonly [string, string])[], link: RegExp): readonly string[] =>
  some.flatMap(([path, text]) =>
    [...text.replaceAll(/^```[^]*?^```$/gm, '').matchAll(link)]
      .map(([, target = '']) => target)
      .filter((target) => !leads(target, path.replace(/(?:\/index)?\.(?:html|md)$/, '')))
      .map((target) => `${path}: ${target}`),
  );

const ofHtml = / (?:href|src|data-index)="([^"]*)"/g;
const ofMarkdown = /\]\(([^)\s]+)\)/g;

describe('the portal', () => {
  it('has links that lead somewhere, in every page', () => {
    expect(broken(pages, ofHtml)).toEqual([]);
    const dead = '<a href="/docs/guides/gone"></a><a href="/docs/errors#600"></a>';
    expect(broken([['/docs/limits.html', dead]], ofHtml)).toEqual([
      '/docs/limits.html: /docs/guides/gone',
      '/docs/limits.html: /docs/errors#600',
    ]);
  });

  it('has them in every text, llms.txt among them', () => {
    expect(broken(texts, ofMarkdown)).toEqual([]);
    expect(broken([['/llms.txt', '[Gone](/docs/gone.md)']], ofMarkdown)).toHaveLength(1);
    expect(files.get('/llms.txt')).toContain(
      `${Math.round(Buffer.byteLength(files.get('/docs/llms-full.txt') ?? '') / 1000)} kB`,
    );
  });

  it.each(table.filter(isMounted).map((operation) => [operation.id, operation] as const))(
    'shows %s with its fields and an example in each language',
    (_id, operation) => {
      const { family, name, fields, request, answer, summary } = operation;
      const ownTexts = [ownText(request), ownText(answer)].flatMap((one) =>
        Object.keys(one?.['properties'] ?? {}),
      );
      const path = `/docs/reference/${family}/${name}`;
      const text = files.get(`${path}.html`) ?? '';
      const languages = [
        'curl',
        'TypeScript',
        'Python',
        // MCP has clients of its own.
        ...(family === 'mcp' ? [] : ['Command line']),
      ];
      const wanted = [
        `<link rel="alternate" type="text/markdown" href="${path}.md"`,
        ...languages.map((one) => `>${one}</label`),
        ...[...Object.values(fields)]
          .flat()
          .filter((field) => !ownText(request) || !fields.body.includes(field))
          .map((field) => `<code>${field.header ?? field.name}</code>`),
        ...ownTexts.map((field) => `<code>${field}</code>`),
      ];
      expect(wanted.filter((one) => !text.includes(one))).toEqual([]);
      expect(files.get(`${path}.md`)).toContain(`# ${summary}`);
    },
  );

  it('has a page for every event type', () => {
    const missing = Object.values(eventGroups)
      .flat()
      .filter((type) => !files.has(`/docs/events/${type}.html`));
    expect(missing).toEqual([]);
  });

  it('loads nothing from another host, and has neither style nor program in its pages', () => {
    const foreign =
      /<(?:script|img|iframe|form|link)[^>]+(?:src|href|action)="https?:|<script>|<style|\sstyle=|\son\w+=/;
    const code = /<pre[^]*?<\/pre>|<code>[^]*?<\/code>/g;
    expect(
      pages.filter(([, text]) => foreign.test(text.replaceAll(code, ''))).map(([path]) => path),
    ).toEqual([]);
    const scripts = [...files].filter(([path]) => /\.(?:css|js)$/.test(path));
    expect(
      scripts.filter(([, text]) =>
        /url\(|@import|innerHTML|location\.(?:href|search|pathname)/.test(text),
      ),
    ).toEqual([]);
  });

  it('is small', () => {
    const bytes = (some: Iterable<readonly [string, string]>): number =>
      [...some].reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0);
    const first = [...files].filter(([path]) =>
      /index\.html$|site\.[\w-]+\.(?:css|js)$/.test(path),
    );
    expect(first).toHaveLength(3);
    expect(bytes(first)).toBeLessThan(60_000);
    expect(Math.max(...pages.map(([, text]) => Buffer.byteLength(text)))).toBeLessThan(60_000);
    // It grows with the operations: a page each, as HTML and as Markdown, and most of them in llms-full.txt.
    expect(bytes(pages) / pages.length).toBeLessThan(6_800);
    expect(bytes(files) / pages.length).toBeLessThan(11_000);
  });

  it('is not built with an operation that has no example', () => {
    const [operation] = table.filter(isMounted);
    const unknown = { ...operation, name: 'vanish', id: 'conversations.vanish' } as Mounted;
    expect(() => operationPage(unknown)).toThrow(
      'conversations.vanish has no example: add it to libs/contracts/examples/conversations.json.',
    );
  });

  it('shows elements and programs in a text as text', () => {
    const source = '<img src=x onerror=alert(1)> [a](javascript:alert(1)) `<b>`';
    const { text } = rendered(source).body;
    expect(text).not.toMatch(/<(?:img|b)|href/);
  });
});
