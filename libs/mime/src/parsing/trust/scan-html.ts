import { createRequire } from 'node:module';
import { shallowStart } from '../html-depth.js';
import { showingOf } from './hidden-style.js';

// Required, as sanitize-html does: Jest refuses a module that is imported and required in one graph.
const { Parser } = createRequire(import.meta.url)('htmlparser2') as typeof import('htmlparser2');

/** A link, and what a reader sees of it. */
export interface SeenLink {
  readonly href: string;
  readonly text: string;
}

/** The texts of an HTML body that a reader sees, and those that only a machine reads. */
export interface ScannedHtml {
  readonly visible: string;
  /** Texts hidden by style or attribute, each with where it stands: how much visible text came before. */
  readonly hidden: readonly { readonly text: string; readonly after: number }[];
  /** Comments and the texts of attributes. */
  readonly aside: string;
  readonly links: readonly SeenLink[];
}

const unitsMax = 512 * 1024;
const textMax = 200_000;
const linksMax = 500;
const linkTextMax = 300;
const hiddenMax = 100;
/** Deeper elements are taken for their parents: the stack stays small. */
const depthMax = 500;

const skipped = new Set(['script', 'style', 'title', 'head', 'template', 'noscript']);
// prettier-ignore
const breaks = new Set([
  'address', 'blockquote', 'br', 'dd', 'div', 'dt', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'li', 'p',
  'pre', 'table', 'td', 'th', 'tr',
]);
// prettier-ignore
const empty = new Set([
  'area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'source', 'wbr',
]);

/** Reads HTML in one pass; time and memory are linear in its first half megabyte. */
export function scanHtml(html: string): ScannedHtml {
  const scan = new Scan();
  const parser = new Parser(
    {
      onopentag: (name, attributes) => scan.open(name, attributes),
      onclosetag: (name) => scan.close(name),
      ontext: (text) => scan.text(text),
      oncomment: (text) => scan.beside(text),
    },
    { decodeEntities: true },
  );
  parser.end(shallowStart(html.slice(0, unitsMax)));
  return scan.result();
}

interface Element {
  readonly name: string;
  readonly hides: boolean;
  readonly skips: boolean;
  /** True if the texts around it are too small. */
  readonly wasTiny: boolean;
}

class Scan {
  private readonly stack: Element[] = [];
  private hiding = 0;
  private skipping = 0;
  private isTiny = false;
  private readonly visible: string[] = [];
  private visibleLength = 0;
  private readonly hidden: { text: string; after: number }[] = [];
  private readonly aside: string[] = [];
  private asideLength = 0;
  private readonly links: { href: string; text: string }[] = [];
  private link: { href: string; text: string } | null = null;

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    for (const text of [attributes['alt'], attributes['title'], attributes['aria-label']]) {
      if (text) this.beside(text);
    }
    if (breaks.has(name)) this.visible.push('\n');
    if (name === 'a' && attributes['href'] !== undefined) this.beginLink(attributes['href']);
    if (!empty.has(name) && this.stack.length < depthMax) this.enter(name, attributes);
  }

  private enter(name: string, attributes: Readonly<Record<string, string>>): void {
    const showing = showingOf(attributes);
    const hides = showing === 'hidden';
    const skips = skipped.has(name);
    this.stack.push({ name, hides, skips, wasTiny: this.isTiny });
    if (hides) {
      this.hiding++;
      this.beginHidden();
    }
    if (skips) this.skipping++;
    if (showing === 'tiny') this.isTiny = true;
    if (showing === 'sized') this.isTiny = false;
  }

  private beginHidden(): void {
    if (this.hidden.length < hiddenMax) this.hidden.push({ text: '', after: this.visibleLength });
  }

  close(name: string): void {
    if (name === 'a') this.link = null;
    if (this.stack.at(-1)?.name !== name) return;
    const element = this.stack.pop();
    if (!element) return;
    if (element.hides) this.hiding--;
    if (element.skips) this.skipping--;
    this.isTiny = element.wasTiny;
  }

  text(text: string): void {
    if (this.skipping > 0) return;
    if (this.hiding > 0 || this.isTiny) {
      this.unseen(text);
      return;
    }
    if (this.link && this.link.text.length < linkTextMax) this.link.text += text;
    if (this.visibleLength > textMax) return;
    this.visible.push(text);
    this.visibleLength += text.trim().length;
  }

  private unseen(text: string): void {
    // Texts that are too small stand between others, each where it stands.
    if (this.hiding === 0 && text.trim() !== '') this.beginHidden();
    const last = this.hidden.at(-1);
    if (last && last.text.length < textMax) last.text += text;
  }

  beside(text: string): void {
    if (this.asideLength > textMax) return;
    this.aside.push(text);
    this.asideLength += text.length;
  }

  result(): ScannedHtml {
    return {
      visible: this.visible.join(''),
      hidden: this.hidden.filter(({ text }) => text.trim() !== ''),
      aside: this.aside.join(' \n '),
      links: this.links,
    };
  }

  private beginLink(href: string): void {
    if (this.links.length >= linksMax) return;
    this.link = { href, text: '' };
    this.links.push(this.link);
  }
}
