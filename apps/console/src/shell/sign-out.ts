import { api } from '../api/api.js';
import { tellFailure } from '../ui/notices.js';

/** Ends the session; at a provider that offers it, the one there too. */
export async function signOut(): Promise<void> {
  try {
    const { signOutUrl } = await api.delete<{ signOutUrl?: string }>('/session');
    location.assign(signOutUrl ?? '/sign-in');
  } catch (error) {
    tellFailure(error, () => void signOut());
  }
}
