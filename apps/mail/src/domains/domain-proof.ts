import { randomBytes } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { Inject, Injectable } from '@nestjs/common';
import { withTimeout } from '@postroom/concurrency';
import { Problem, type DomainRecord } from '@postroom/contracts';
import { MailConfig } from '../config.js';

/** How long a proof is looked for, whatever the name servers do. */
const timeLimitMs = 5_000;
/** What a name server says of a name without such a record. */
const absent = new Set(['ENOTFOUND', 'ENODATA']);

export const newDomainToken = (): string => randomBytes(24).toString('base64url');

/** The record that proves a domain. Its name is its own, so that no record of others is in the way. */
export const recordOf = ({ name, token }: { name: string; token: string }): DomainRecord => ({
  type: 'TXT',
  name: `_postroom.${name}`,
  value: `postroom-verification=${token}`,
});

/** Asks the name system whether a domain is proved. */
@Injectable()
export class DomainProof {
  private readonly resolver = new Resolver({ timeout: 1_500, tries: 2, maxTimeout: 1_500 });

  constructor(@Inject(MailConfig) { outboundDnsServers }: MailConfig) {
    if (outboundDnsServers?.length) this.resolver.setServers(outboundDnsServers);
  }

  /** @throws Problem DOMAIN_RECORD_MISSING, NAME_SERVERS_UNAVAILABLE */
  async require(domain: { name: string; token: string }): Promise<void> {
    const { name, value } = recordOf(domain);
    const texts = await this.textsOf(name);
    if (!texts.includes(value)) throw new Problem('DOMAIN_RECORD_MISSING');
  }

  private async textsOf(name: string): Promise<readonly string[]> {
    const asked = this.resolver.resolveTxt(name).catch((cause: unknown) => {
      if (absent.has(codeOf(cause))) return [];
      throw new Problem('NAME_SERVERS_UNAVAILABLE', { cause });
    });
    const records = await withTimeout(asked, timeLimitMs, () => null);
    if (records === null) throw new Problem('NAME_SERVERS_UNAVAILABLE');
    // A record is of strings of up to 255 bytes each (RFC 1035 §3.3.14).
    return records.map((strings) => strings.join(''));
  }
}

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
