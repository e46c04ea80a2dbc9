import { parseApiKey } from '@postroom/access/api-key';

/** A token begins and ends where no sign of a longer one adjoins. */
const before = '(?<![A-Za-z0-9_-])';
const after = '(?![A-Za-z0-9_-])';
const token = (form: string): RegExp => new RegExp(`${before}(?:${form})${after}`, 'g');

/**
 * Forms of secrets, as their issuers describe them. Every repetition is bounded, and so is the time of a
 * search, whatever the text.
 */
const forms: readonly RegExp[] = [
  // RFC 7468, RFC 4880 §6.2 and OpenSSH's own; then PuTTY's and age's files.
  /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g,
  /PuTTY-User-Key-File-[23]: ?/g,
  token('AGE-SECRET-KEY-1[0-9A-Z]{58}'),
  token('(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}'), // AWS
  /aws_?secret_?(?:access_?)?key.{0,4}[=:] ?["']?[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])/gi,
  token('gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{50,255}'), // GitHub
  token('(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,255}'), // Stripe
  /(?<![A-Za-z0-9_])whsec_[A-Za-z0-9+/]{32,128}={0,2}/g, // Standard Webhooks, Stripe
  token('xox[abceoprs]-[A-Za-z0-9-]{10,255}|xapp-\\d-[A-Za-z0-9-]{10,255}'), // Slack
  /hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9/_-]{20,255}/g,
  token('AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{28}'), // Google
  token('glpat-[A-Za-z0-9_-]{20,255}'), // GitLab
  token('npm_[A-Za-z0-9]{36}|pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50,255}'), // package registries
  token('sk-(?:proj-|ant-|svcacct-)?[A-Za-z0-9_-]{32,255}'), // OpenAI, Anthropic
  token('SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}|SK[0-9a-f]{32}|key-[0-9a-f]{32}'), // SendGrid, Twilio, Mailgun
  token('do[opr]_v1_[0-9a-f]{64}|hf_[A-Za-z0-9]{34}'), // DigitalOcean, Hugging Face
  /AccountKey=[A-Za-z0-9+/]{86}==/g, // Azure storage
];

const ours = new RegExp(`${before}pr_(?:human|agent)_[0-9A-Z]{26}_[0-9A-Za-z]{49}${after}`, 'g');

/** Private keys and keys of well-known interfaces in a judged text; our own by their checksum too. */
export function* secretKeys(text: string): Generator<string> {
  for (const [key] of text.matchAll(ours)) if (parseApiKey(key).wellFormed) yield key;
  for (const form of forms) for (const [key] of text.matchAll(form)) yield key;
}
