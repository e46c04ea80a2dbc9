import type { Language } from '../../problems.js';

/** Weight of a language range; one that says none has the highest. */
const weightOf = (parameters: string): number => {
  const weight = /(?:^|;)\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*(?:;|$)/i.exec(parameters);
  return weight ? Number(weight[1]) : 1;
};

/** Ranges that are looked at; a browser sends a few. */
const rangesMax = 20;

/**
 * The language of the texts of an answer (`decisions.md` §1): English where `Accept-Language` asks for it, of any
 * region, before French; else French, as public-api.md says.
 */
export function languageOf(acceptLanguage: string | undefined): Language {
  const weights = new Map<string, number>();
  for (const range of (acceptLanguage ?? '').split(',', rangesMax)) {
    const [tag = '', ...parameters] = range.split(';');
    const language = tag.trim().toLowerCase().split('-', 1)[0] ?? '';
    // The first of several ranges with one weight is preferred, by however little.
    const weight = weightOf(parameters.join(';')) - weights.size * 1e-6;
    if (weight > (weights.get(language) ?? 0)) weights.set(language, weight);
  }
  return (weights.get('en') ?? 0) > (weights.get('fr') ?? 0) ? 'en' : 'fr';
}
