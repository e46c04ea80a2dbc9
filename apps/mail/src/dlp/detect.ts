import type { DlpDetector, DlpPlace } from '@postroom/contracts';
import { invalidField } from '@postroom/contracts/problems';
import { AllowedDomains } from './detectors/allowed-domains.js';
import { AttachmentTypes } from './detectors/attachment-types.js';
import { cardNumbers } from './detectors/card-number.js';
import { Expression } from './detectors/expression.js';
import { frenchSocialSecurityNumbers } from './detectors/fr-ssn.js';
import { ibans } from './detectors/iban.js';
import { secretKeys } from './detectors/secret-key.js';
import type { JudgedContent } from './judged-content.js';

/** One find of a detector. */
export interface Find {
  readonly where: DlpPlace;
  readonly text: string;
}

type FindsIn = (content: JudgedContent) => Iterable<Find>;

/** The compiled form of a rule. */
export interface Detector {
  /** Yields what makes the rule hit; the text of a find may be empty. */
  readonly judge: FindsIn;
  /** Yields the texts that it finds, for a trial; it may take longer. */
  readonly find: FindsIn;
}

/** Matches of an expression that are looked for in a reading: each may cost a whole pass. */
const placesMax = 3;
/** Units of a message in which the place of a match is looked for: a judgement has to be fast. */
const shownWithin = 32_768;

/**
 * The detector of a rule.
 * @throws Problem INVALID_REQUEST at `pattern`, when it needs one, or another one, or none
 */
export function detectorOf(detector: DlpDetector, pattern: string | null): Detector {
  switch (detector) {
    case 'pattern':
      return ofExpression(Expression.parse(needed(pattern)));
    case 'attachment_type':
      return ofTypes(AttachmentTypes.parse(needed(pattern)));
    case 'external_domain':
      return ofDomains(AllowedDomains.parse(needed(pattern)));
    default:
      if (pattern === null) return ofFinder(finders[detector]);
      throw invalidField(
        'pattern',
        'ce détecteur ne prend pas de motif : laissez-le vide (null)',
        'this detector takes no pattern: leave it null',
      );
  }
}

const finders = {
  card_number: cardNumbers,
  iban: ibans,
  fr_ssn: frenchSocialSecurityNumbers,
  secret_key: secretKeys,
};

function needed(pattern: string | null): string {
  if (pattern !== null && pattern.trim() !== '') return pattern;
  throw invalidField('pattern', 'ce détecteur demande un motif', 'this detector needs a pattern');
}

const once = (finds: FindsIn): Detector => ({ judge: finds, find: finds });

const ofFinder = (find: (text: string) => Iterable<string>): Detector =>
  once(function* ({ readings }) {
    for (const { where, judged } of readings) {
      for (const text of find(judged)) yield { where, text };
    }
  });

/** Searches the text as written too: an expression may be about the very characters, or about lines. */
const ofExpression = (expression: Expression): Detector => ({
  *judge({ readings }) {
    for (const { where, judged, written } of readings) {
      const texts = written === judged ? [judged] : [judged, written];
      const found = texts.find((text) => expression.isIn(text));
      if (found === undefined) continue;
      const [text = ''] = expression.firstIn(found.slice(0, shownWithin), 1);
      yield { where, text };
    }
  },
  *find({ readings }) {
    for (const { where, judged, written } of readings) {
      for (const text of expression.firstIn(judged, placesMax)) yield { where, text };
      if (written === judged) continue;
      for (const text of expression.firstIn(written, placesMax)) yield { where, text };
    }
  },
});

const ofTypes = (types: AttachmentTypes): Detector =>
  once(function* ({ attachments }) {
    for (const file of attachments) {
      if (types.has(file)) yield { where: 'attachments', text: file.filename ?? file.mimeType };
    }
  });

const ofDomains = (domains: AllowedDomains): Detector =>
  once(function* ({ recipients }) {
    for (const text of recipients) {
      if (domains.excludes(text)) yield { where: 'recipients', text };
    }
  });
