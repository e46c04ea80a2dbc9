import { invalidField } from '@postroom/contracts/problems';
import { RE2JS, RE2JSException } from 're2js';

/**
 * Instructions of a compiled expression at most. Where the engine has to follow each of them through
 * the text, this many times a megabyte are seconds, and more would be minutes.
 */
const programMax = 400;

/** An expression of a rule, on an engine whose time is linear in the text. */
export class Expression {
  private constructor(private readonly compiled: RE2JS) {}

  /** @throws Problem INVALID_REQUEST when it is none, when it is too large, or when it matches nothing at all */
  static parse(source: string): Expression {
    const compiled = compile(source);
    if (compiled.programSize() > programMax) {
      throw invalidPattern(
        'expression trop complexe : réduisez les répétitions et les alternatives',
        'the expression is too complex: use fewer repetitions and alternatives',
      );
    }
    if (compiled.test('')) {
      throw invalidPattern(
        'l’expression correspond à un texte vide, donc à tout message',
        'the expression matches an empty text, and so every message',
      );
    }
    return new Expression(compiled);
  }

  /** True if it matches somewhere in the text; far faster than finding the place. */
  isIn(text: string): boolean {
    return this.compiled.test(text);
  }

  /** Its first finds in the text; each may cost another pass. */
  firstIn(text: string, max: number): string[] {
    const finds: string[] = [];
    for (const [found] of this.compiled.matchAll(text)) {
      if (finds.push(found) >= max) break;
    }
    return finds;
  }
}

function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(source);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw invalidPattern(
      `expression (syntaxe RE2) invalide : ${error.message}`,
      `not a valid expression (RE2 syntax): ${error.message}`,
    );
  }
}

const invalidPattern = (fr: string, en: string): Error => invalidField('pattern', fr, en);
