import type { LookupAddress } from 'node:dns';
import { withTimeout } from '@postroom/concurrency';
import {
  type Host,
  isPublicName,
  judgeAddress,
  NameUnresolved,
  type Networks,
  parseNetworks,
  readHost,
  resolveByDns,
  type ResolveName,
  type Verdict,
} from './host.js';

/** A target that a customer may not have dialled. The error does not reveal the reason. */
export class TargetRefused extends Error {
  override readonly name = 'TargetRefused';

  constructor() {
    super('this target is not allowed');
  }
}

/** The targets that may be dialled. */
export interface OutboundOptions {
  /** Addresses and networks (CIDR) of the operator's that are allowed though they are not public. */
  readonly allowed: readonly string[];
  /** Ports of public targets; any when not given. Allow-listed targets take any port. */
  readonly ports?: readonly number[];
  /** The resolver; the system's name servers when not given. */
  readonly resolve?: ResolveName;
}

/** A target that may be dialled. */
export interface Admitted {
  /** True if every address is in the operator's allow-list. */
  readonly isAllowListed: boolean;
  readonly addresses: readonly LookupAddress[];
}

const loopback: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** The time limit of a check: longer than a working name server needs. */
const checkMs = 2_000;

/** Judges targets that a customer names: when they are set, and again when they are dialled. */
export class OutboundGuard {
  private readonly allowed: Networks;
  private readonly resolve: ResolveName;

  constructor(private readonly options: OutboundOptions) {
    this.allowed = parseNetworks(options.allowed);
    this.resolve = options.resolve ?? resolveByDns();
  }

  /**
   * Judges a target that is about to be stored. A public name that does not resolve yet is admitted: it
   * is judged again each time it is dialled.
   *
   * @throws TargetRefused
   */
  async check(host: string, port: number): Promise<{ readonly isAllowListed: boolean }> {
    const read = this.read(host);
    try {
      const { isAllowListed } = await withTimeout(this.admit(host, port), checkMs, unresolved);
      return { isAllowListed };
    } catch (error) {
      if (!(error instanceof NameUnresolved)) throw error;
      if (!isPublicName(read.text) || !this.isPortOpen(port)) throw new TargetRefused();
      return { isAllowListed: false };
    }
  }

  /**
   * The addresses that may be dialled now: all public, or all allow-listed.
   * @throws TargetRefused when one of them is forbidden, whatever the others are
   * @throws NameUnresolved
   */
  async admit(host: string, port: number): Promise<Admitted> {
    const read = this.read(host);
    const addresses = await this.addressesOf(read);
    const verdicts = addresses.map(({ address }) => judgeAddress(address, this.allowed));
    const all = (wanted: Verdict): boolean =>
      verdicts.length > 0 && verdicts.every((verdict) => verdict === wanted);
    if (all('allowed')) return { isAllowListed: true, addresses };
    const isOpen = all('public') && this.isPortOpen(port) && isPublicHost(read);
    if (!isOpen) throw new TargetRefused();
    return { isAllowListed: false, addresses };
  }

  private read(host: string): Host {
    const read = readHost(host);
    if (!read) throw new TargetRefused();
    return read;
  }

  private async addressesOf({ kind, text }: Host): Promise<readonly LookupAddress[]> {
    if (kind === 'address') return [{ address: text, family: text.includes(':') ? 6 : 4 }];
    if (kind === 'name') return this.resolve(text);
    // As one address: an operator who allows 127.0.0.0/8 means `localhost` too.
    return loopback.filter(({ address }) => judgeAddress(address, this.allowed) === 'allowed');
  }

  private isPortOpen(port: number): boolean {
    return this.options.ports?.includes(port) ?? true;
  }
}

const isPublicHost = ({ kind, text }: Host): boolean => kind === 'address' || isPublicName(text);

function unresolved(): never {
  throw new NameUnresolved(false);
}
