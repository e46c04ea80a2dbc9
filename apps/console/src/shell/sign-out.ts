import { api } from '../api/api.js';
import { queryClient } from '../api/query-client.js';
import { leavePage } from '../api/session.js';
import { tellFailure } from '../ui/notices.js';

/** Ends the session; at a provider that offers it, the one there too. */
export async function signOut(): Promise<void> {
  leavePage(true);
  await queryClient.cancelQueries();
  try {
    const { signOutUrl } = await api.delete<{ signOutUrl?: string }>('/session');
    location.assign(signOutUrl ?? '/sign-in');
  } catch (error) {
    leavePage(false);
    tellFailure(error, () => void signOut());
  }
}
