import type { DlpPlace, DlpTrial } from '@postroom/contracts';
import { detectorOf, type Detector, type Found } from './detect.js';
import type { Hit, JudgedMessage, JudgingRule } from './judgement.js';
import { contentOf, contentOfTrial } from './judged-content.js';
import { masked } from './masked.js';

/** Different finds of a rule in a place that are told of. */
const findsMax = 10;

/** What a message sets off, rule by rule; pure, in time linear in the message. */
export function judgeMessage(rules: readonly JudgingRule[], message: JudgedMessage): Hit[] {
  const content = contentOf(message);
  return rules.flatMap((rule) => {
    const { id: ruleId, version: ruleVersion, name, detector, action } = rule;
    const places = byPlace(compiled(rule).judge(content));
    return [...places].map(([where, { size: count }]) => ({
      ruleId,
      ruleVersion,
      name,
      detector,
      action,
      where,
      count,
    }));
  });
}

/** What a text would set off, with the finds masked. */
export function tryRules(
  rules: readonly (JudgingRule & { readonly enabled: boolean })[],
  text: string,
): DlpTrial[] {
  const content = contentOfTrial(text);
  return rules.flatMap((rule) => {
    const { id: ruleId, name, detector, action, enabled } = rule;
    const found = [...byPlace(compiled(rule).find(content)).values()].flatMap((texts) => [
      ...texts,
    ]);
    if (found.length === 0) return [];
    const excerpts = found.map(masked);
    return [{ ruleId, name, detector, action, enabled, count: found.length, excerpts }];
  });
}

function byPlace(finds: Iterable<Found>): Map<DlpPlace, Set<string>> {
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
