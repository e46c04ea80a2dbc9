/** Text that is HTML already. */
export class Html {
  constructor(readonly text: string) {}
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

type Value = Html | string | null | readonly Html[];

/**
 * HTML with values in it, of which every one that is not HTML itself is escaped. Attributes are to be quoted. The
 * indentation of the source stays out.
 */
export const html = (parts: TemplateStringsArray, ...values: readonly Value[]): Html =>
  new Html(
    parts
      .map((part) => part.replaceAll(/\n\s+/g, '\n'))
      .reduce((text, part, i) => text + textOf(values[i - 1] ?? null) + part),
  );

function textOf(value: Value): string {
  if (value === null) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'string') return value.replaceAll(/[&<>"']/g, (one) => entities[one] ?? one);
  return value.map(({ text }) => text).join('');
}
