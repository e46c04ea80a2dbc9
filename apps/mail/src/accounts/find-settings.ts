import { Resolver } from 'node:dns/promises';
import { Inject, Injectable } from '@nestjs/common';
import { withTimeout } from '@postroom/concurrency';
import { domainName, type FoundMailSettings, type MailServer } from '@postroom/contracts';
import { guardedFetch, OutboundGuard, resolveByDns } from '@postroom/outbound';
import { MailConfig } from '../config.js';
import { readAutoconfig, type ToldServers } from './autoconfig.js';
import { providerOfDomain, providerOfExchanger, type MailProvider } from './mail-providers.js';
import { OAuthProviders, type ServerFact } from './oauth-providers.js';

/** Bounds each place that is looked at. */
const lookMs = 3_000;
const fileBytesMax = 64 * 1024;
const recordsMax = 20;

type ServerSettings = Omit<FoundMailSettings, 'oauth'>;

/** The services of RFC 6186 and RFC 8314, those with TLS from the first byte first. */
const services = {
  imap: [
    ['_imaps', 993],
    ['_imap', 143],
  ],
  outgoing: [
    ['_submissions', 465],
    ['_submission', 587],
  ],
} as const;

/** Finds the mail servers of an address, in our list, in the name system and at its domain. Nothing is logged in to. */
@Injectable()
export class MailSettings {
  private readonly resolver = new Resolver({ timeout: lookMs, tries: 1 });
  private readonly fetch;

  constructor(
    @Inject(MailConfig) { outboundDnsServers, mailServerAllowedCidrs }: MailConfig,
    private readonly oauth: OAuthProviders,
  ) {
    const servers = outboundDnsServers ?? [];
    if (servers.length > 0) this.resolver.setServers(servers);
    const guard = new OutboundGuard({
      ...{ allowed: mailServerAllowedCidrs ?? [], resolve: resolveByDns(servers) },
      ports: [443],
    });
    this.fetch = guardedFetch(guard, { timeoutMs: lookMs, bytesMax: fileBytesMax });
  }

  async find(address: string): Promise<FoundMailSettings> {
    const domain = domainName(address.slice(address.lastIndexOf('@') + 1));
    const found = (domain !== null && (await this.found(address, domain))) || nothing;
    return { ...found, oauth: this.oauthOf(found.imap) };
  }

  private async found(address: string, domain: string): Promise<ServerSettings | null> {
    const provider = providerOfDomain(domain);
    if (provider) return foundAt(provider, 'provider', address);
    return (
      (await this.inRecords(address, domain)) ??
      (await this.atDomain(address, domain)) ??
      (await this.byExchanger(address, domain))
    );
  }

  private async inRecords(address: string, domain: string): Promise<ServerSettings | null> {
    const [imap, outgoing] = await Promise.all([
      this.serviceOf(domain, services.imap),
      this.serviceOf(domain, services.outgoing),
    ]);
    return imap && told('srv', { imap, outgoing, user: address, signIn: 'password' });
  }

  private async serviceOf(
    domain: string,
    names: readonly (readonly [string, number])[],
  ): Promise<ServerFact | null> {
    const all = await Promise.all(
      names.map(async ([name, port]) => {
        const records = await this.asked(this.resolver.resolveSrv(`${name}._tcp.${domain}`));
        const [first] = records
          .filter((record) => record.name !== '' && record.port === port)
          .sort((a, b) => a.priority - b.priority || b.weight - a.weight);
        return first ? serverAt(first.name, port) : null;
      }),
    );
    return all.find((server) => server !== null) ?? null;
  }

  private async atDomain(address: string, domain: string): Promise<ServerSettings | null> {
    const asked = encodeURIComponent(address);
    const urls = [
      `https://autoconfig.${domain}/mail/config-v1.1.xml?emailaddress=${asked}`,
      `https://${domain}/.well-known/autoconfig/mail/config-v1.1.xml`,
    ];
    for (const url of urls) {
      const servers = await this.file(url, address);
      if (servers) return told('autoconfig', servers);
    }
    return null;
  }

  private async file(url: string, address: string): Promise<ToldServers | null> {
    try {
      const answer = await this.fetch(url, { headers: { accept: 'text/xml, application/xml' } });
      return answer.ok ? readAutoconfig(await answer.text(), address) : null;
    } catch {
      // A host that is not there, or may not be asked, or answers too much, gives no settings.
      return null;
    }
  }

  private async byExchanger(address: string, domain: string): Promise<ServerSettings | null> {
    const records = await this.asked(this.resolver.resolveMx(domain));
    const [first] = records.sort((a, b) => a.priority - b.priority);
    const provider = first && providerOfExchanger(first.exchange.toLowerCase());
    return provider ? foundAt(provider, 'mx', address) : null;
  }

  /** Records of the name system; none when it does not answer in time. */
  private async asked<T>(records: Promise<T[]>): Promise<T[]> {
    const found = await withTimeout(
      records.catch(() => []),
      lookMs,
      () => [],
    );
    return found.slice(0, recordsMax);
  }

  private oauthOf(imap: MailServer | null): FoundMailSettings['oauth'] {
    const provider = imap && this.oauth.ofServer(imap.host);
    return (provider?.id ?? null) as FoundMailSettings['oauth'];
  }
}

const nothing: ServerSettings = {
  ...{ source: null, provider: null, imap: null, outgoing: null },
  ...{ signIn: 'password', help: null },
};

const serverAt = (host: string, port: number): ServerFact => ({
  ...{ host: host.toLowerCase(), port },
  secure: port === 993 || port === 465,
});

const foundAt = (
  { name, source: help, ...facts }: MailProvider,
  source: 'provider' | 'mx',
  user: string,
): ServerSettings => ({ ...told(source, { ...facts, user }), provider: name, help });

const told = (
  source: NonNullable<ServerSettings['source']>,
  { imap, outgoing, user, signIn }: ToldServers,
): ServerSettings => ({
  ...{ source, provider: null, signIn, help: null },
  imap: { ...imap, user },
  outgoing: outgoing && { ...outgoing, user },
});
