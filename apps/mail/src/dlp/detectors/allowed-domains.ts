import { domainToASCII } from 'node:url';
import { invalidField } from '@postroom/contracts/problems';

const domainName =
  /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Domains that mail may go to. `example.com` is that domain alone, since what stands below it may be
 * another's (`example.com.mail.example.net` is not even below it); `*.example.com` is all below it.
 */
export class AllowedDomains {
  private readonly exact: ReadonlySet<string>;
  private readonly above: readonly string[];

  private constructor(readonly written: readonly string[]) {
    this.exact = new Set(written.filter((one) => !one.startsWith('*.')));
    this.above = written.filter((one) => one.startsWith('*.')).map((one) => one.slice(1));
  }

  /** @throws Problem INVALID_REQUEST when an entry is no domain name */
  static parse(pattern: string): AllowedDomains {
    const entries = listed(pattern).map((entry) => ({ entry, domain: asciiEntry(entry) }));
    const wrong = entries.find(({ domain }) => domain === null)?.entry;
    const domains = entries.flatMap(({ domain }) => domain ?? []);
    if (wrong === undefined && domains.length > 0) return new AllowedDomains([...new Set(domains)]);
    const which = wrong === undefined ? '' : `: ${wrong}`;
    throw invalidField(
      'pattern',
      `noms de domaine autorisés attendus, séparés par des virgules (« example.com », « *.example.com »)${which}`,
      `expected the allowed domain names, comma-separated ("example.com", "*.example.com")${which}`,
    );
  }

  /** True if an address is outside of these domains; an address whose domain cannot be read is. */
  excludes(address: string): boolean {
    const domain = asciiDomain(address.slice(address.lastIndexOf('@') + 1));
    if (domain === null) return true;
    return !this.exact.has(domain) && !this.above.some((suffix) => domain.endsWith(suffix));
  }
}

function asciiEntry(entry: string): string | null {
  const below = entry.startsWith('*.');
  const domain = asciiDomain(below ? entry.slice(2) : entry.replace(/^@/, ''));
  return domain === null ? null : `${below ? '*.' : ''}${domain}`;
}

/** A domain in the form of the DNS (RFC 5891): letter case, width and script are no difference. */
function asciiDomain(domain: string): string | null {
  const ascii = domainToASCII(domain.trim()).replace(/\.$/, '');
  return domainName.test(ascii) && ascii.length <= 253 ? ascii : null;
}

/** The entries of a comma-separated pattern. */
export const listed = (pattern: string): string[] => [
  ...new Set(
    pattern
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
  ),
];
