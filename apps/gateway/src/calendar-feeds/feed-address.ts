/** A feed's address: the workspace, so that its service knows where to look, and the secret. */
export interface FeedAddress {
  readonly tenantId: string;
  readonly secret: string;
}

/** The path of all feeds. */
export const feedsPath = 'feeds';

/** @returns the address as a client is told it */
export const feedUrl = (publicUrl: string, { tenantId, secret }: FeedAddress): string =>
  new URL(`/${feedsPath}/${tenantId}.${secret}.ics`, publicUrl).href;

const form = /^(?<tenantId>ten_[0-9A-Za-z]{26})\.(?<secret>[\w-]{43})\.ics$/;

/** Null for what is no address of a feed. */
export function feedAddressOf(name: string): FeedAddress | null {
  const { tenantId, secret } = form.exec(name)?.groups ?? {};
  return tenantId !== undefined && secret !== undefined ? { tenantId, secret } : null;
}
