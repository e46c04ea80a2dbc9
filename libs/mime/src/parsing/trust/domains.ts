/** Second levels under which anybody registers, in the countries that have them. */
const sharedSecondLevels = new Set(['co', 'com', 'org', 'net', 'gov', 'gouv', 'ac', 'edu', 'asso']);

/** The part of a host name that one owner registered, near enough: `shop.example.co.uk` → `example.co.uk`. */
export function siteOf(host: string): string {
  const labels = host.toLowerCase().replace(/\.$/, '').split('.');
  const second = labels.at(-2) ?? '';
  const isShared =
    labels.length > 2 && labels.at(-1)?.length === 2 && sharedSecondLevels.has(second);
  return labels.slice(isShared ? -3 : -2).join('.');
}

/** The domain of a mail address, in lower case; empty where there is none. */
export const domainOf = (email: string): string =>
  email
    .slice(email.lastIndexOf('@') + 1)
    .trim()
    .toLowerCase();
