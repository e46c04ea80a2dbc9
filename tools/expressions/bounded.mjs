/**
 * Expressions that grow faster than their input, and what bounds that input, in UTF-16 units. Each is
 * timed with its worst input of that length: `prefix`, `pump` as often as there is room, `suffix`. The checker found
 * it, by chance within some seconds, so it is kept here. `source` is how the expression begins.
 */
export const bounded = [
  {
    file: 'libs/formats/src/mbox-splitter.ts',
    source: String.raw`\d{1,2}:\d{2}.*`,
    worst: { pump: '1A\u00002021\u0000', suffix: '1A\u00001920' },
    unitsMax: 1024,
    because: 'separatorBytesMax: a longer line is text',
  },
  {
    file: 'apps/mail/src/dlp/detectors/attachment-types.ts',
    source: '[. ]{1,300}$',
    worst: { pump: ' ', suffix: '\u0000' },
    unitsMax: 1020,
    because: 'names of files have 255 characters; compatibility forms make each at most a few more',
  },
  {
    file: 'libs/mime/src/composing/compose-message.ts',
    source: String.raw`=\?|\S{900}`,
    worst: { pump: `${'x'.repeat(899)} ` },
    unitsMax: 1996,
    because: 'a subject has 998 characters',
  },
  {
    file: 'libs/contracts/src/fields/attached-files.ts',
    source: String.raw`^(?!\.{1,2}$)`,
    worst: { prefix: '!', pump: '. ', suffix: '\u0000' },
    unitsMax: 510,
    because: 'nameMax is checked before',
  },
  {
    file: 'libs/mime/src/parsing/trust/misleading-addresses.ts',
    source: String.raw`[\w.%+-]{1,64}@`,
    worst: { prefix: '-@-.', pump: 'A.A.-.', suffix: '\u0000' },
    unitsMax: 400,
    because: 'a display name is cut there',
  },
  {
    file: 'libs/mime/src/parsing/trust/instructions.ts',
    source: String.raw`\b(?:attention|dear`,
    worst: { pump: "t'gpt-", suffix: '\n' },
    unitsMax: 200_000,
    because:
      'unitsMax; what may repeat is at most 60 characters, which the checker takes for growth',
  },
  {
    file: 'libs/mime/src/parsing/charsets.ts',
    source: String.raw`<meta\b`,
    worst: { prefix: 'T', pump: '<META\tS', suffix: '>' },
    unitsMax: 1024,
    because: 'the first kibibyte of a page',
  },
  {
    file: 'libs/mime/src/parsing/delivery-report.ts',
    source: String.raw`([^\s<>;,"]+@`,
    worst: { pump: '\u0000', suffix: '@' },
    unitsMax: 1000,
    because: 'a field is cut there',
  },
  {
    file: 'libs/mime/src/parsing/delivery-report.ts',
    source: String.raw`^[>\s]*-{2,}`,
    worst: { prefix: '--', pump: '-', suffix: '\nE' },
    unitsMax: 200,
    because: 'a line is cut there',
  },
  {
    file: 'libs/mime/src/parsing/delivery-report.ts',
    source: String.raw`^[ \t]*<?(`,
    worst: { prefix: ')@\u0000', pump: '(', suffix: '\n' },
    unitsMax: 400,
    because: 'a line is cut there',
  },
  {
    file: 'apps/mail/src/messages/message-events.ts',
    source: String.raw`[^\s:;,"<>@]{1,64}@`,
    worst: { pump: '\u0000', suffix: '\t\t' },
    unitsMax: 192 * 1024,
    because:
      'the size of a calendar part; what may repeat is at most 64 characters, which the checker takes for growth',
  },
];

/**
 * Expressions whose text is put together from what another file says, as the source has them, and what
 * they become.
 */
export const composed = {
  'new RegExp(form)': null,
  // The longest of the forms that it is given.
  "new RegExp(`${before}(?:${form})${after}`, 'g')": [
    '(?<![A-Za-z0-9_-])(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{50,255})(?![A-Za-z0-9_-])',
    'g',
  ],
  "new RegExp(`(?<![0-9]|[0-9][.])(?:${written})(?![0-9])`, 'gi')": [
    String.raw`(?<![0-9]|[0-9][.])(?:[1-478][ .-]?\d\d[ .-]?\d\d|[1-478][ .-]\d[ .-]\d[ .-][0-9AB])(?![0-9])`,
    'gi',
  ],
  'new RegExp( String.raw`("(?:${secretNames})":)(?:${jsonText}|\\[(?:${jsonText},?)*\\])`, \'gi\', )':
    [
      String.raw`("(?:password|pass|token)":)(?:"(?:[^"\\]|\\.)*"|\[(?:"(?:[^"\\]|\\.)*",?)*\])`,
      'gi',
    ],
  'new RegExp(idempotencyKeyPattern)': ['^[!-~]{8,200}$', ''],
  'new RegExp(`${mark}-(\\\\d+)`)': [String.raw`00000000-0000-4000-8000-000000000000-(\d+)`, ''],
  "new RegExp(`^(?:${traceFields.join('|')})[ \\\\t]*:`, 'i')": [
    String.raw`^(?:received|arc-[a-z-]+|x-mozilla-[a-z\d-]+|x-spam-[a-z-]+)[ \t]*:`,
    'i',
  ],
  "new RegExp(`[${Object.keys(letters).join('')}]`, 'gu')": ['[ßœæøłđðþħıŋĸŧς]', 'gu'],
  "new RegExp(`[${Object.keys(alike).join('')}]`, 'gu')": ['[œæßøłđðþı’‘ʼ]', 'gu'],
  "new RegExp(`^\\\\s*BEGIN:${name}\\\\s*$`, 'i')": [String.raw`^\s*BEGIN:VEVENT\s*$`, 'i'],
  "new RegExp(`^\\\\s*END:${name}\\\\s*$`, 'i')": [String.raw`^\s*END:VEVENT\s*$`, 'i'],
  'new RegExp(`^${country}[0-9]{2}${rest}$`)': ['^FR[0-9]{2}[0-9]{10}[0-9A-Z]{11}[0-9]{2}$', ''],
  "new RegExp(`^${mountPoints[audience]}${path.replaceAll(/:\\w+/g, '[^/]+')}$`)": [
    '^/public/v1/a/[^/]+/b/[^/]+/c$',
    '',
  ],
  'new RegExp(`^(${mountPoints.key}|${mountPoints.member})/[^?]*?/(?:[/?]|$)`)': [
    '^(/public|/settings/api)/[^?]*?/(?:[/?]|$)',
    '',
  ],
  'new RegExp(`^${mountPoints.member}(?:[/?]|$)`)': ['^/settings/api(?:[/?]|$)', ''],
  "new RegExp(`${mark}-(\\\\d+)\\\\.`, 'g')": [
    String.raw`00000000-0000-4000-8000-000000000000-(\d+)\.`,
    'g',
  ],
  "new RegExp(`^\\\\*?(?:${names.join('|')})\\\\s?[:：]\\\\*?${rest}`, 'iu')": [
    String.raw`^\*?(?:from|de|von)\s?[:：]\*?\s?\S`,
    'iu',
  ],
  "new RegExp( `^(?:\\\\[[^\\\\]]{0,60}\\\\]\\\\s*)?(?:${words.join('|')})\\\\s?(?:[[(^]\\\\d{1,3}[\\\\])]?)?\\\\s?[:：]`, 'iu', )":
    [
      String.raw`^(?:\[[^\]]{0,60}\]\s*)?(?:re|aw|tov(?:ábbítva)?)\s?(?:[[(^]\d{1,3}[\])]?)?\s?[:：]`,
      'iu',
    ],
  "new RegExp( `^[\\\\[*(]?\\\\s*(?:${automaticSubjects.join('|')})\\\\s*(?:[:：\\\\])*–-]|$)`, 'iu', )":
    [String.raw`^[\[*(]?\s*(?:automatic reply|out of (?:the )?office)\s*(?:[:：\])*–-]|$)`, 'iu'],
  "new RegExp(patternOf('city'))": [String.raw`^[^\u0000-\u001f\u007f-\u009f]*$`, ''],
  "new RegExp(patternOf('street'))": [
    String.raw`^[^\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f]*$`,
    '',
  ],
  // Each part is bounded, and so is what it is given; `suspicions-of.spec.ts` times it.
  "new RegExp(ordersOf(words), 'iu')": null,
};
