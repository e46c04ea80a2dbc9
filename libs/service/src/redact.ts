/**
 * The last gate before a log line leaves the process. It works on the finished JSON text, because
 * that is the one place that sees everything: messages, stacks, nested objects, a foreign library's
 * own fields.
 */

const mask = '[redacted]';

/** Fields whose value is a secret whatever it looks like, at any depth, in any case. */
const secretNames = [
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'api-?key',
  'cookie',
  'set-cookie',
  'pass',
  'password',
  'passphrase',
  'private-?key',
  'secret',
  'token',
].join('|');

const jsonText = String.raw`"(?:[^"\\]|\\.)*"`;
const secretField = new RegExp(
  String.raw`("(?:${secretNames})":)(?:${jsonText}|\[(?:${jsonText},?)*\])`,
  'gi',
);

/** Secrets that tell themselves by their form, wherever they stand. */
const secretForms: readonly (readonly [RegExp, string])[] = [
  [/\bpr_(human|agent)_[0-9A-Za-z]+_[0-9A-Za-z]+/g, `pr_$1_${mask}`],
  [/\bwhsec_[\w+/=-]+/g, `whsec_${mask}`],
  [/\b(postroom_session=)[^;,\s"\\]+/g, `$1${mask}`],
  [/\b(Bearer|Basic) [\w.~+/=-]+/gi, `$1 ${mask}`],
  [/(:\/\/)[^\s/@"\\]+@/g, `$1${mask}@`],
];

/**
 * Masks the secrets of one log line: fields named like one (keys, cookies, authorization,
 * passwords), and texts of their form (API keys, webhook secrets, session cookies, bearer tokens,
 * credentials in a URL). The result is JSON as before.
 */
export function redactLine(line: string): string {
  let redacted = line.replace(secretField, `$1"${mask}"`);
  for (const [form, replacement] of secretForms) redacted = redacted.replace(form, replacement);
  return redacted;
}
