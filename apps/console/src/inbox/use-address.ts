import { useParams, useSearch } from '@tanstack/react-router';
import type { InboxSearch, View } from './search-params.js';

/** The parts of the inbox's address. */
export interface InboxAddress {
  readonly view: View;
  /** The conversation that is open. */
  readonly openId: string | null;
  readonly search: InboxSearch;
}

export function useAddress(): InboxAddress {
  const params: unknown = useParams({ strict: false });
  const search: unknown = useSearch({ strict: false });
  const { view = 'all', conversationId = null } = params as AddressParams;
  return { view, openId: conversationId, search: search as InboxSearch };
}

interface AddressParams {
  readonly view?: View;
  readonly conversationId?: string;
}
