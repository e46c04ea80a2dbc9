import type { SignatureList } from '@postroom/contracts';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { api } from '../api/api.js';

export type Signature = SignatureList['signatures'][number];

export const signaturesQuery = queryOptions({
  queryKey: ['signatures', 'usable'],
  queryFn: ({ signal }) => api.get<SignatureList>('/v1/signatures', undefined, signal),
  select: ({ signatures }) => signatures,
  staleTime: 300_000,
});

const none: readonly Signature[] = [];

/** The signatures that may stand below mail of a mailbox. */
export const useSignatures = (mailbox: string): readonly Signature[] =>
  (useQuery(signaturesQuery).data ?? none).filter(
    (one) => one.mailbox === null || one.mailbox === mailbox,
  );

/** The signature that mail of a mailbox begins with: its own default before that of any. */
export function useDefaultSignature(): (mailbox: string) => string | null {
  const all = useQuery(signaturesQuery).data ?? none;
  return (mailbox) => {
    const defaults = all.filter(({ isDefault }) => isDefault);
    const own = defaults.find((one) => one.mailbox === mailbox);
    return (own ?? defaults.find((one) => one.mailbox === null))?.id ?? null;
  };
}
