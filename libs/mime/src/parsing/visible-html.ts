import { createRequire } from 'node:module';
import { shallowStart } from './html-depth.js';
import { limits } from './limits.js';
import { showingOf } from './trust/hidden-style.js';

// Required, as sanitize-html does: Jest refuses a module that is imported and required in one graph.
const { Parser } = createRequire(import.meta.url)('htmlparser2') as typeof import('htmlparser2');

/** True if an element may hide something; most messages need no other pass. */
const mayHide = /style|hidden|<template/i;

/**
 * The HTML of a message without the texts that its styles and attributes hide, by the same rules as `trust`.
 * It reads the message before sanitising, which removes much of what hides text. One pass; time and memory
 * are linear.
 */
export function visibleHtml(source: string): string {
  if (!mayHide.test(source)) return source;
  const html = shallowStart(source.slice(0, limits.htmlUnitsMax));
  const gaps = new Gaps();
  const parser = new Parser({
    onopentag: (name, attributes) => gaps.open(name, attributes, parser.startIndex),
    onclosetag: (_, isImplied) => gaps.close(isImplied ? parser.startIndex : parser.endIndex + 1),
    ontext: () => gaps.text(parser.startIndex, parser.endIndex + 1),
  });
  parser.end(html);
  return gaps.without(html);
}

interface Gap {
  readonly start: number;
  readonly end: number;
}

/** The parts of an HTML text that are not seen. */
class Gaps {
  private readonly found: Gap[] = [];
  /** For each open element: true if the texts around it are too small. */
  private readonly wasTiny: boolean[] = [];
  private isTiny = false;
  private hidden: { readonly start: number; readonly depth: number } | null = null;

  open(name: string, attributes: Readonly<Record<string, string>>, start: number): void {
    this.wasTiny.push(this.isTiny);
    if (this.hidden) return;
    const showing = name === 'template' ? 'hidden' : showingOf(attributes);
    if (showing === 'hidden') this.hidden = { start, depth: this.wasTiny.length };
    if (showing === 'tiny') this.isTiny = true;
    if (showing === 'sized') this.isTiny = false;
  }

  close(end: number): void {
    if (this.hidden?.depth === this.wasTiny.length) {
      this.found.push({ start: this.hidden.start, end });
      this.hidden = null;
    }
    this.isTiny = this.wasTiny.pop() ?? false;
  }

  text(start: number, end: number): void {
    if (this.isTiny && !this.hidden) this.found.push({ start, end });
  }

  without(html: string): string {
    const parts: string[] = [];
    let from = 0;
    for (const { start, end } of this.found) {
      parts.push(html.slice(from, start));
      from = end;
    }
    return [...parts, html.slice(from)].join('');
  }
}
