const tag = /<\/?[a-z][^<>]*>/gi;

/**
 * HTML that is only read, its styles under names that do nothing: the page's policy refuses styles in each document
 * that is parsed under it, and reports every one. As in a `style`, nothing in a `noembed` is an element.
 */
const withoutEffect = (html: string): string =>
  html.replaceAll(tag, (whole) =>
    whole
      .replace(/^(<\/?)style(?=[\s/>])/i, '$1noembed')
      .replaceAll(/([\s/])style(?=\s*=)/gi, '$1data-style'),
  );

/** The document of some HTML, which is never shown: nothing of it is loaded, run or reported. */
export const parsed = (html: string): Document =>
  new DOMParser().parseFromString(withoutEffect(html), 'text/html');

/** HTML for the editor, without the styles that it does not keep. */
export function withoutStyles(html: string): string {
  const { body } = parsed(html);
  for (const style of body.querySelectorAll<Element>('noembed')) style.remove();
  return body.innerHTML;
}

/** The HTML of what was parsed, its styles in effect again. */
export const htmlOf = ({ innerHTML }: Element): string =>
  innerHTML.replaceAll(tag, (whole) =>
    whole
      .replace(/^(<\/?)noembed(?=[\s/>])/i, '$1style')
      .replaceAll(/ data-style(?==)/gi, ' style'),
  );
