import type { DlpAction, DlpDetector } from '@postroom/contracts';

/** Names of what a rule looks for. */
export const detectorNames: Readonly<Record<DlpDetector, string>> = {
  card_number: 'Card numbers',
  iban: 'Bank accounts (IBAN)',
  fr_ssn: 'French social security numbers',
  secret_key: 'Secret keys and passwords of machines',
  pattern: 'A pattern of your own',
  attachment_type: 'Files of a type',
  external_domain: 'Recipients of other domains',
};

/** The detectors that take something to look for, and how it is written. */
export const patternHelp: Readonly<Partial<Record<DlpDetector, string>>> = {
  pattern: 'An expression (RE2). Begin it with (?i) for any letter case.',
  attachment_type:
    'Media types and extensions, separated by commas: application/zip, image/*, .exe',
  external_domain: 'The domains that are allowed, separated by commas: example.com, *.example.com',
};

export const actionNames: Readonly<Record<DlpAction, string>> = {
  warn: 'The sender has to confirm',
  block: 'The message is refused',
};
