import { Html } from '@postroom/formats';
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import MarkdownIt from 'markdown-it';

const languages = { sh: bash, go, java, json, python, toml: ini, ts: typescript };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);
hljs.registerAliases('js', { languageName: 'ts' });

hljs.configure({ classPrefix: '' });

// Marks that the stylesheet gives no colour: names in JSON are most of all marks.
const plainMarks = /<span class="(?:punctuation|property|params|subst)">([^<]*)<\/span>/g;
const namesInJson = /<span class="attr">([^<]*)<\/span>/g;
const literalMarks = /<span class="literal">(<span class="keyword">\w+<\/span>)<\/span>/g;
const marks = /<(\/?)span(?: class="(\w+)[^"]*")?>/g;

/** A program with marks for the stylesheet; the text as it is, of a language that is not known. */
export function highlighted(code: string, language: string): Html {
  if (!hljs.getLanguage(language)) return new Html(parser.utils.escapeHtml(code));
  const { value } = hljs.highlight(code, { language });
  const short = value
    // Quotes between elements need no escape.
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll(plainMarks, '$1')
    .replaceAll(language === 'json' ? namesInJson : literalMarks, '$1');
  return new Html(
    short.replaceAll(marks, (_, end: string, kind = '') => (end ? '</i>' : `<i class=${kind}>`)),
  );
}

// Elements in the text come out as text, and links lead to addresses that are no programs.
const parser = new MarkdownIt({
  html: false,
  highlight: (code, name) => highlighted(code, name).text,
});

const { fence } = parser.renderer.rules;
parser.renderer.rules.fence = (...args) =>
  // A program that is wider than its column is scrolled, by keyboard too.
  (fence?.(...args) ?? '').replace('<pre>', '<pre tabindex="0">');
parser.renderer.rules.table_open = () => '<div class="table" tabindex="0"><table>';
parser.renderer.rules.table_close = () => '</table></div>';

/** Addresses that this deployment serves, as texts name them. */
const served =
  /^\/(?:docs[\w/.-]*|llms\.txt|public\/(?:openapi|asyncapi)\.json|settings\/openapi\.json)$/;
const { code_inline: code } = parser.renderer.rules;
parser.renderer.rules.code_inline = (tokens, at, ...rest) => {
  const shown = code?.(tokens, at, ...rest) ?? '';
  const content = tokens[at]?.content ?? '';
  // Within a link another one would not be.
  const isInLink = tokens[at - 1]?.type === 'link_open';
  return served.test(content) && !isInLink ? `<a href="${content}">${shown}</a>` : shown;
};

/** A heading of a page, as its contents name it. */
export interface Heading {
  readonly id: string;
  readonly text: string;
  readonly level: number;
}

/** The anchor of a heading, as GitHub makes it too. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

/** Markdown as HTML, with the headings in it. */
export function rendered(source: string): { readonly body: Html; readonly headings: Heading[] } {
  const tokens = parser.parse(source, {});
  const headings: Heading[] = [];
  tokens.forEach((token, at) => {
    if (token.type !== 'heading_open') return;
    const text = (tokens[at + 1]?.children ?? []).map(({ content }) => content).join('');
    const id = anchorOf(text);
    token.attrSet('id', id);
    headings.push({ id, text, level: Number(token.tag.slice(1)) });
  });
  return { body: new Html(parser.renderer.render(tokens, parser.options, {})), headings };
}

/** One line of Markdown as HTML. */
export const inline = (source: string): Html => new Html(parser.renderInline(source));

const fences = /^( *)```[^]*?^\1```$/gm;
const link = /\[([^\]]*)\]\(([^)\s]+)\)/g;

/**
 * Markdown with other links; a link that is null becomes its text. What stands in programs stays.
 * @param targetOf the new target of a link
 */
export function relinked(source: string, targetOf: (target: string) => string | null): string {
  const rewrite = (text: string): string =>
    text.replaceAll(link, (_, label: string, target: string) => {
      const other = targetOf(target);
      return other === null ? label : `[${label}](${other})`;
    });
  let from = 0;
  let result = '';
  for (const { 0: program, index } of source.matchAll(fences)) {
    result += rewrite(source.slice(from, index)) + program;
    from = index + program.length;
  }
  return result + rewrite(source.slice(from));
}
