import type { DlpPlace, DlpTrial } from '@postroom/contracts';
import { detectorOf, type Detector, type Find } from './detect.js';
import type { Hit, JudgedMessage, JudgingRule } from './judgement.js';
import { contentOf, contentOfTrial } from './judged-content.js';

/** Different finds of a rule in one place that are counted. */
const findsMax = 10;

/** The rules that match a message; pure, in time linear in the message. */
export function judgeMessage(rules: Iterable<JudgingRule>, message: JudgedMessage): Hit[] {
  const content = contentOf(message);
  const hitsOf = (rule: JudgingRule): Hit[] => {
    const { id: ruleId, version: ruleVersion, name, detector, action } = rule;
    const places = byPlace(compiled(rule).judge(content));
    return [...places].map(([where, texts]) => ({
      ruleId,
      ruleVersion,
      name,
      detector,
      action,
      where,
      count: texts.size,
      excerpt: masked([...texts][0] ?? ''),
    }));
  };
  return Array.from(rules, hitsOf).flat();
}

/** The rules that would match a text, with the finds masked. */
export function tryRules(
  rules: Iterable<JudgingRule & { readonly enabled: boolean }>,
  text: string,
): DlpTrial[] {
  const content = contentOfTrial(text);
  const trialsOf = (rule: JudgingRule & { readonly enabled: boolean }): DlpTrial[] => {
    const { id: ruleId, name, detector, action, enabled } = rule;
    const found = [...byPlace(compiled(rule).find(content)).values()].flatMap((texts) => [
      ...texts,
    ]);
    if (found.length === 0) return [];
    const excerpts = found.map(masked);
    return [{ ruleId, name, detector, action, enabled, count: found.length, excerpts }];
  };
  return Array.from(rules, trialsOf).flat();
}

function byPlace(finds: Iterable<Find>): Map<DlpPlace, Set<string>> {
  const places = new Map<DlpPlace, Set<string>>();
  for (const { where, text } of finds) {
    const texts = places.get(where) ?? new Set();
    places.set(where, texts);
    if (texts.size < findsMax) texts.add(text);
  }
  return places;
}

const compiledMax = 1_000;
const cache = new Map<string, Detector>();

/** A rule never changes within its version. */
function compiled({ id, version, detector, pattern }: JudgingRule): Detector {
  const key = `${id} ${version}`;
  const known = cache.get(key);
  if (known) return known;
  if (cache.size >= compiledMax) cache.clear();
  const made = detectorOf(detector, pattern);
  cache.set(key, made);
  return made;
}

const shownMax = 40;

/**
 * A find as it may be shown: enough of it for its author to recognise it. Two signs at each end of a
 * long one, one of a short one; the rest as dots.
 */
function masked(found: string): string {
  const signs = [...found];
  const open = signs.length >= 8 ? 2 : signs.length >= 4 ? 1 : 0;
  const dots = '•'.repeat(Math.min(signs.length - 2 * open, shownMax - 2 * open));
  return signs.slice(0, open).join('') + dots + signs.slice(signs.length - open).join('');
}
